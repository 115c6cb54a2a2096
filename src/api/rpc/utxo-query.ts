import { parseUtxo } from '../../avm/tx/utxo.ts';
import { type Address, zeroAddress } from '../../base/bytes/address.ts';
import { goQuote } from '../../base/bytes/go-quote.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, parseId, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { getUTXOs } from '../contract/avm-methods.ts';
import type { Encoding } from '../contract/kinds.ts';
import type { ParamsOf } from '../contract/views.ts';
import type { AddressFormat } from './address-format.ts';
import { AvmError } from './fault.ts';
import { type RawJson, rawJson } from './write-json.ts';

/** AvalancheGo: vms/avm/service.go. */
const maxAddresses = 1024;
const maxPageSize = 1024;

/** Position in a list of UTXOs: the last address and UTXO that were returned. */
export type AddressUtxoCursor = { readonly address: Address; readonly utxoID: Id };

/** A page of UTXOs. `utxos`: bytes of each UTXO followed by their checksum. `end`: where the scan stopped. */
type EncodedUtxoPage = { readonly utxos: readonly Uint8Array[]; readonly end: AddressUtxoCursor };

export type ReadUtxoPage = (sourceChain: Id, addresses: readonly Address[], start: AddressUtxoCursor, limit: number) => EncodedUtxoPage;

/** `getUTXOs` of the X-, P- and C-Chain. Checks run in AvalancheGo's order. */
export function queryUtxos(params: ParamsOf<(typeof getUTXOs)['params']>, addressFormat: AddressFormat, readPage: ReadUtxoPage): RawJson {
  const { addresses, sourceChain, limit, startIndex } = params;
  if (addresses.length === 0) throw new AvmError('no addresses provided', { code: 'AVM_NO_ADDRESSES' });
  if (addresses.length > maxAddresses)
    throw new AvmError(`number of addresses given, ${addresses.length}, exceeds maximum, ${maxAddresses}`, {
      code: 'AVM_TOO_MANY_ADDRESSES',
      got: addresses.length,
      max: maxAddresses,
    });
  const chain = sourceChain === '' ? ownChainID(addressFormat) : sourceChainID(sourceChain, addressFormat);
  const parsed = addresses.map(addressFormat.parse);
  const distinct = parsed.length === 1 ? parsed : [...new Set(parsed)].sort();
  const start = parseStartIndex(startIndex, addressFormat);
  const page = readPage(chain, distinct, start, limit === 0 || limit > maxPageSize ? maxPageSize : limit);
  // No text in it needs escaping, and wallets ask for it more often than for anything else: it is written without the general JSON writer.
  const { length } = page.utxos;
  const utxos = utxosJson(page, params.encoding);
  const end = `{"address":"${addressFormat.format(page.end.address)}","utxo":"${idText(page.end.utxoID)}"}`;
  return rawJson(`{"numFetched":"${length}","utxos":${utxos},"endIndex":${end},"encoding":"${params.encoding}"}`);
}

function ownChainID(addressFormat: AddressFormat): Id {
  // The C-Chain has no UTXOs of its own. AvalancheGo: coreth, plugin/evm/atomic/vm/api.go.
  if (addressFormat.hasOwnOutputs) return addressFormat.chainID;
  throw new AvmError('no source chain provided', { code: 'AVM_NO_SOURCE_CHAIN' });
}

function sourceChainID(name: string, addressFormat: AddressFormat): Id {
  const id = addressFormat.aliases.find(name);
  if (id === undefined)
    throw new AvmError(`problem parsing source chainID ${goQuote(name)}: there is no ID with alias: ${name}`, {
      code: 'AVM_UNKNOWN_CHAIN',
      name,
    });
  return id;
}

function parseStartIndex(startIndex: { address: string; utxo: string }, addressFormat: AddressFormat): AddressUtxoCursor {
  if (startIndex.address === '' && startIndex.utxo === '') return { address: zeroAddress, utxoID: zeroId };
  return {
    address: parseCursorPart(`start index address ${goQuote(startIndex.address)}`, () => addressFormat.parse(startIndex.address)),
    utxoID: parseCursorPart('start index utxo', () => parseId(startIndex.utxo)),
  };
}

function parseCursorPart<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new AvmError(`couldn't parse ${what}: ${error.message}`, { code: 'AVM_BAD_CURSOR', reason: error.message });
  }
}

/** Encodes a whole page as hex in one call, since a call per UTXO would cost more than the encoding. */
function utxosJson({ utxos }: EncodedUtxoPage, form: Encoding): string {
  const [first] = utxos;
  if (first === undefined) return '[]';
  if (form === 'json') throw jsonEncodingError(first);
  const cut = form === 'hexnc' ? checksumLength : 0;
  if (utxos.length === 1) return `["0x${toHex(cut === 0 ? first : first.subarray(0, -cut))}"]`;
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

function jsonEncodingError(first: Uint8Array): AvmError {
  const { id } = parseUtxo(first.subarray(0, -checksumLength));
  return new AvmError(`couldn't encode UTXO ${idText(id)} as string: unsupported encoding in method`, {
    code: 'AVM_ENCODING',
    encoding: 'json',
  });
}
