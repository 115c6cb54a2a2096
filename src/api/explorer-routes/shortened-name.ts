import { type Address, addressLength, addressToBytes } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { bech32Range } from '../../base/bytes/bech32-range.ts';
import { cb58Ranges } from '../../base/bytes/cb58-range.ts';
import { type Id, idLength, idText } from '../../base/bytes/id.ts';
import type { ExplorerReads, NameRange } from '../../ledger/index-read/explorer-reads.ts';

/** Names listed for a shortened one, of each kind. */
export const maxShortened = 5;
/** Names with the same beginning whose ends are compared; a chain of ten million transactions has fewer for four characters of an ID. */
const maxCompared = 500;
/** Characters of a beginning that names few things: alone, and with the end behind dots. */
const [minAlone, minWithEnd] = [6, 3];

const dots = '(?:…|\\.{2,3})';
const base58 = '[1-9A-HJ-NP-Za-km-z]';
const idPattern = new RegExp(`^(${base58}{3,47})(?:${dots}(${base58}{0,40}))?$`);
const bech32 = '[02-9ac-hj-np-z]';
const addressPattern = new RegExp(`^(?:[XPC]-)?(?:([a-z]{1,20})1)?(${bech32}{0,37})(?:${dots}(${bech32}{0,38}))?$`, 'i');

type Reads = Pick<ExplorerReads, 'namesBetween'>;

/** IDs of a kind by their beginning (of outputs at least six characters), or by beginning and end with dots between, as lists show them: `2Z36BRtU…nKa4bV`. */
export async function findShortenedIds(text: string, kind: 'tx' | 'block' | 'utxo', { namesBetween }: Reads): Promise<Id[]> {
  const [, start = '', end = ''] = idPattern.exec(text) ?? [];
  if (start.length < (end.length < minWithEnd ? minAlone : minWithEnd)) return [];
  const found = await Promise.all(cb58Ranges(start, idLength).map((range) => namesBetween(kind, range, maxCompared)));
  return (found.flat() as Id[]).filter((id) => idText(id).endsWith(end)).slice(0, maxShortened);
}

/**
 * Addresses of this chain by beginning and end: `X-local18jma8…z96u`, `fuji18jma8…`, and `8jma8…z96u` as on a phone. Their last six letters
 * are a checksum that depends on the network: `hrp` is that of texts without one.
 */
export async function findShortenedAddresses(text: string, hrp: string, { namesBetween }: Reads): Promise<Address[]> {
  const [, typedHrp, start = '', end = ''] = addressPattern.exec(text) ?? [];
  const isAlone = end.length < minWithEnd;
  if (start.length < (isAlone ? minAlone : minWithEnd) - 1 || (typedHrp === undefined && isAlone)) return [];
  const range: NameRange | undefined = bech32Range(start.toLowerCase(), addressLength);
  if (range === undefined) return [];
  const spelled = (address: Address): string => bech32Encode((typedHrp ?? hrp).toLowerCase(), addressToBytes(address));
  const found = (await namesBetween('address', range, maxCompared)) as Address[];
  return found.filter((address) => spelled(address).endsWith(end.toLowerCase())).slice(0, maxShortened);
}
