/** Control and format characters, which could move the cursor of a terminal, fake lines or reverse text. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text from elsewhere as one line for a terminal: unprintable characters become `?`. */
export const cleanText = (text: string): string => text.replace(unprintable, '?');

/** JSON for a terminal: the same value, with unprintable characters escaped. JSON writers escape only some of them. */
export const escapeJson = (json: string): string =>
  json.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
