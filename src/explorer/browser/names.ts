import { findNameFault } from '../../api/contract/label-name.ts';

/** Names that the reader gave to addresses, by address without prefix. They are kept in this browser. */
export type KeptNames = Readonly<Record<string, string>>;

/** The most names that are kept. */
export const maxKeptNames = 500;
const key = 'serac-names';
/** Human-readable part, the separator, 20 bytes and a checksum. */
const addressPattern = /^[a-z0-9]{1,40}1[02-9ac-hj-np-z]{38}$/;

export function keptNames(): KeptNames {
  try {
    return parseNames(JSON.parse(localStorage.getItem(key) ?? '{}'));
  } catch {
    return {};
  }
}

/** Keeps a name, or forgets it if it is empty. Returns why that is not possible. */
export function keepName(address: string, name: string): string | undefined {
  const bare = address.replace(/^[A-Za-z]+-/, '');
  const { [bare]: _, ...others } = keptNames();
  const fault = name === '' ? undefined : findNameFault(name);
  if (fault !== undefined) return `The name ${fault}.`;
  if (name !== '' && Object.keys(others).length >= maxKeptNames) return `There are ${maxKeptNames} names, which is the most.`;
  return write(name === '' ? others : { ...others, [bare]: name });
}

/** Adds the names of a file to those that are kept. Returns how many, or why none was read. */
export function importNames(text: string): { readonly count: number } | { readonly fault: string } {
  try {
    const names = parseNames(JSON.parse(text));
    const count = Object.keys(names).length;
    const all = { ...keptNames(), ...names };
    if (count === 0) return { fault: 'The file has no names of addresses.' };
    if (Object.keys(all).length > maxKeptNames) return { fault: `With this file there would be more than ${maxKeptNames} names.` };
    const fault = write(all);
    return fault === undefined ? { count } : { fault };
  } catch {
    return { fault: 'The file is not JSON.' };
  }
}

function write(names: KeptNames): string | undefined {
  try {
    localStorage.setItem(key, JSON.stringify(names));
    return undefined;
  } catch {
    return 'This browser keeps no more data for this page.';
  }
}

/** The valid names of a value that somebody else may have written. */
export function parseNames(value: unknown): KeptNames {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([address, name]) => addressPattern.test(address) && typeof name === 'string' && findNameFault(name) === undefined)
      .slice(0, maxKeptNames),
  );
}
