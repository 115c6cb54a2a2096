/** The most characters of a name of an address. */
export const maxLabelLength = 64;

/** Why a text cannot be the name of an address; undefined if it can. What people see must be what they typed. */
export function findNameFault(name: string): string | undefined {
  const length = [...name].length;
  if (length > maxLabelLength) return `has ${length} characters; at most ${maxLabelLength} are possible`;
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name)) return 'has a character that is invisible or changes the direction of text';
  if (name.trim() !== name || name === '') return 'is empty or has a space at its beginning or end';
  return undefined;
}
