import { type Address, zeroAddress } from '../bytes/address.ts';
import { checksumLength } from '../bytes/hash.ts';
import { type Id, idText, parseId, zeroId } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import { parseUtxo } from '../tx/utxo.ts';
import type { AddressSpace } from './address-text.ts';
import { AvmError } from './avm-fault.ts';
import { goQuote } from './go-quote.ts';
import { type Encoding, encoding, list, obj, type ParamsOf, str, u32 } from './params.ts';
import { type Json, raw } from './write-json.ts';

/** Peer: vms/avm/service.go. */
const maxAddresses = 1024;
const maxPage = 1024;

export const utxoParams = obj({
  addresses: list(str),
  sourceChain: str,
  limit: u32,
  startIndex: obj({ address: str, utxo: str }),
  encoding,
});

export type UtxoCursor = { readonly address: Address; readonly utxoID: Id };

/** A page as the state gives it: the bytes of each UTXO with its checksum behind, and where the scan ended. */
export type UtxoPage = { readonly utxos: readonly Uint8Array[]; readonly end: UtxoCursor };

export type UtxoSource = (sourceChain: Id, addresses: readonly Address[], start: UtxoCursor, limit: number) => UtxoPage;

/** `getUTXOs`, which the X, P and C chains answer alike. Checks in the peer's order. */
export function queryUtxos(params: ParamsOf<typeof utxoParams>, space: AddressSpace, source: UtxoSource): Json {
  const { addresses, sourceChain, limit, startIndex } = params;
  if (addresses.length === 0) throw new AvmError('no addresses provided', { code: 'AVM_NO_ADDRESSES' });
  if (addresses.length > maxAddresses)
    throw new AvmError(`number of addresses given, ${addresses.length}, exceeds maximum, ${maxAddresses}`, {
      code: 'AVM_TOO_MANY_ADDRESSES',
      got: addresses.length,
      max: maxAddresses,
    });
  const chain = sourceChain === '' ? ownChain(space) : sourceId(sourceChain, space);
  const asked = [...new Set(addresses.map(space.read))].sort();
  const start = startOf(startIndex, space);
  const page = source(chain, asked, start, limit === 0 || limit > maxPage ? maxPage : limit);
  return {
    numFetched: page.utxos.length.toString(),
    utxos: raw(utxosJson(page, params.encoding)),
    endIndex: { address: space.write(page.end.address), utxo: idText(page.end.utxoID) },
    encoding: params.encoding,
  };
}

function ownChain(space: AddressSpace): Id {
  // The C-Chain keeps no outputs of its own. Peer: coreth, plugin/evm/atomic/vm/api.go.
  if (space.ownOutputs) return space.chainID;
  throw new AvmError('no source chain provided', { code: 'AVM_NO_SOURCE_CHAIN' });
}

function sourceId(name: string, space: AddressSpace): Id {
  const id = space.aliases.find(name);
  if (id === undefined)
    throw new AvmError(`problem parsing source chainID ${goQuote(name)}: there is no ID with alias: ${name}`, {
      code: 'AVM_UNKNOWN_CHAIN',
      name,
    });
  return id;
}

function startOf(given: { address: string; utxo: string }, space: AddressSpace): UtxoCursor {
  if (given.address === '' && given.utxo === '') return { address: zeroAddress, utxoID: zeroId };
  return {
    address: orBadCursor(`start index address ${goQuote(given.address)}`, () => space.read(given.address)),
    utxoID: orBadCursor('start index utxo', () => parseId(given.utxo)),
  };
}

function orBadCursor<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`couldn't parse ${what}: ${error.message}`, { code: 'AVM_BAD_CURSOR', reason: error.message });
  }
}

/** A whole page is turned into hex at once; a call into the runtime for each UTXO would cost more than the digits. */
function utxosJson({ utxos }: UtxoPage, form: Encoding): string {
  const [first] = utxos;
  if (first === undefined) return '[]';
  if (form === 'json') throw noJson(first);
  const cut = form === 'hexnc' ? checksumLength : 0;
  const digits = Buffer.concat(cut === 0 ? utxos : utxos.map((bytes) => bytes.subarray(0, -cut))).toString('hex');
  let at = 0;
  let text = '';
  for (const bytes of utxos) {
    const end = at + (bytes.length - cut) * 2;
    text += `${at === 0 ? '["0x' : '","0x'}${digits.slice(at, end)}`;
    at = end;
  }
  return `${text}"]`;
}

function noJson(first: Uint8Array): AvmError {
  const { id } = parseUtxo(first.subarray(0, -checksumLength));
  return new AvmError(`couldn't encode UTXO ${idText(id)} as string: unsupported encoding in method`, {
    code: 'AVM_ENCODING',
    encoding: 'json',
  });
}
