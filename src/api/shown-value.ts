/** What a caller wrote, for a sentence: quoted, and no longer than a reader needs to recognise it. */
export const shown = (text: string): string => JSON.stringify(text.length > longest ? `${text.slice(0, longest)}...` : text);

const longest = 80;
