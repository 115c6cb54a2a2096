import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import type { FxOperation, Operation } from '../tx/operation.ts';
import type { InitialState, Output } from '../tx/output.ts';
import { makeTx } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { avax, codeOf, credential, faultOf, localRules, pChain, xChain } from './ledger.fixture.ts';
import { verifySyntax } from './syntax.ts';

const alice = 'aa'.repeat(20) as Address;
const gold = '11'.repeat(32) as Id;
const owners = { locktime: 0n, threshold: 1, addresses: [alice] };
const unspendable = { ...owners, threshold: 2 };
const feeInput = {
  txID: gold,
  outputIndex: 7,
  assetID: avax,
  input: { kind: 'secp256k1fx.TransferInput' as const, amount: 1_000_000n, signatureIndices: [0] },
};
const base = { networkID: 12345, blockchainID: xChain, outputs: [], inputs: [feeInput], memo: new Uint8Array() };
const secp = credential('secp256k1fx', alice);
const verify = (unsigned: UnsignedTx, credentials: Credential[] = [secp], rules = localRules) =>
  verifySyntax(makeTx(unsigned, credentials), rules);

const mintOutput: Output = { kind: 'secp256k1fx.MintOutput', ...owners };
const bytes = (text: string | Uint8Array) => (typeof text === 'string' ? new TextEncoder().encode(text) : text);
type Asset = { name?: string | Uint8Array; symbol?: string; denomination?: number; initialStates?: InitialState[]; networkID?: number };
const asset = ({ name = 'Gold', symbol = 'AU', ...rest }: Asset = {}): UnsignedTx => ({
  kind: 'CreateAssetTx',
  ...base,
  denomination: 0,
  initialStates: [{ fxIndex: 0, outputs: [mintOutput] }],
  ...rest,
  name: bytes(name),
  symbol: bytes(symbol),
});

describe('a new asset', () => {
  const states = (...rows: [number, Output[]][]): Asset => ({ initialStates: rows.map(([fxIndex, outputs]) => ({ fxIndex, outputs })) });
  const amount = (n: bigint): Output => ({ kind: 'secp256k1fx.TransferOutput', amount: n, ...owners });
  const table: [string, Asset, string | undefined][] = [
    ['valid', {}, undefined],
    ['a name of 128 bytes', { name: 'n'.repeat(128) }, undefined],
    ['a name of 129 bytes', { name: 'n'.repeat(129) }, 'TX_NAME_TOO_LONG'],
    ['bytes count, not characters', { name: 'é'.repeat(65) }, 'TX_NAME_TOO_LONG'],
    ['a name with an inner space', { name: 'Old Gold 2' }, undefined],
    ['a leading space', { name: ' Gold' }, 'TX_NAME_WHITESPACE'],
    ['a trailing newline', { name: 'Gold\n' }, 'TX_NAME_WHITESPACE'],
    ['trailing U+0085 (next line), which is a space in Go', { name: 'Gold\u0085' }, 'TX_NAME_WHITESPACE'],
    ['leading no-break space', { name: '\u00a0Gold' }, 'TX_NAME_WHITESPACE'],
    ['leading byte order mark, which is not a space in Go', { name: '\ufeffGold' }, 'TX_NAME_CHARACTER'],
    ['leading byte order mark and space', { name: '\ufeff Gold' }, 'TX_NAME_CHARACTER'],
    ['an inner tab', { name: 'Go\tld' }, 'TX_NAME_CHARACTER'],
    ['a letter that is not ASCII', { name: 'Gøld' }, 'TX_NAME_CHARACTER'],
    ['incomplete UTF-8', { name: Uint8Array.of(0x47, 0xc2) }, 'TX_NAME_CHARACTER'],
    ['a zero byte', { name: 'Go\0ld' }, 'TX_NAME_CHARACTER'],
    ['a symbol of 4', { symbol: 'GOLD' }, undefined],
    ['a symbol of 5', { symbol: 'GOLDS' }, 'TX_SYMBOL_TOO_LONG'],
    ['no symbol', { symbol: '' }, 'TX_SYMBOL_TOO_SHORT'],
    ['a symbol with a line break', { symbol: 'AU\n' }, 'TX_SYMBOL_CHARACTER'],
    ['denomination 32', { denomination: 32 }, undefined],
    ['denomination 33', { denomination: 33 }, 'TX_DENOMINATION_TOO_LARGE'],
    ['name length is checked before symbol length', { name: '', symbol: '' }, 'TX_NAME_TOO_SHORT'],
    ['symbol length is checked before initial states', { symbol: '', initialStates: [] }, 'TX_SYMBOL_TOO_SHORT'],
    ['whitespace is checked before the network ID', { name: ' x', networkID: 1 }, 'TX_NAME_WHITESPACE'],
    ['a state without outputs', states([0, []]), undefined],
    ['states of all fxs', states([0, []], [1, []], [2, []]), undefined],
    ['a state of a fourth fx', states([3, []]), 'TX_UNKNOWN_FX'],
    ['an output of another fx', states([1, [amount(1n)]]), undefined],
    ['equal outputs in a state', states([0, [amount(1n), amount(1n)]]), undefined],
    ['outputs are sorted by type first', states([0, [mintOutput, amount(1n)]]), undefined],
    ['outputs not sorted by type', states([0, [amount(1n), mintOutput]]), 'TX_OUTPUTS_NOT_SORTED'],
    ['an invalid output is reported before the order', states([0, [amount(1n), { ...mintOutput, threshold: 5 }]]), 'TX_OUTPUT_UNSPENDABLE'],
    ['the same state twice', states([0, []], [0, []]), 'TX_INITIAL_STATES_NOT_SORTED'],
    ['an unknown fx is reported before the order', states([3, []], [0, []]), 'TX_UNKNOWN_FX'],
  ];
  test.each(table)('%s', (_, value, code) => expect(codeOf(() => verify(asset(value)))).toBe(code as string));

  test('CreateAssetTx has its own fee', () => {
    const rules = { ...localRules, createAssetTxFee: 1_000_001n };
    expect(codeOf(() => verify(asset(), [secp], rules))).toBe('TX_INSUFFICIENT_FUNDS');
    expect(codeOf(() => verify({ kind: 'BaseTx', ...base }, [secp], rules))).toBeUndefined();
  });

  test('a fault names the path of the output', () => {
    const value = asset(states([0, []], [1, [mintOutput, { ...mintOutput, threshold: 2 }]]));
    expect(faultOf(() => verify(value))?.path).toBe('initialStates[1].outputs[1]');
  });
});

describe('operations', () => {
  const ref = (outputIndex: number, txID = gold) => ({ txID, outputIndex });
  const burn: FxOperation = { kind: 'propertyfx.BurnOperation', signatureIndices: [0] };
  const op = (operation: FxOperation, ...inputIDs: { txID: Id; outputIndex: number }[]): Operation => ({
    assetID: gold,
    inputIDs,
    operation,
  });
  const run = (...operations: Operation[]) =>
    verify({ kind: 'OperationTx', ...base, operations }, [secp, ...operations.map(() => credential('propertyfx', alice))]);
  const mintInput = { signatureIndices: [0] };
  const secpMint: FxOperation = {
    kind: 'secp256k1fx.MintOperation',
    mintInput,
    mintOutput: owners,
    transferOutput: { ...owners, amount: 1n },
  };
  const nftMint: FxOperation = { kind: 'nftfx.MintOperation', mintInput, groupID: 1, payload: new Uint8Array(1024), outputs: [owners] };
  const nftTransfer: FxOperation = {
    kind: 'nftfx.TransferOperation',
    input: mintInput,
    output: { ...owners, groupID: 1, payload: new Uint8Array(1024) },
  };
  const propertyMint: FxOperation = { kind: 'propertyfx.MintOperation', mintInput, mintOutput: owners, ownedOutput: owners };
  const unsorted = { signatureIndices: [1, 1] };
  const table: [string, Operation[], string | undefined][] = [
    ['one', [op(burn, ref(0))], undefined],
    ['two, sorted', [op(burn, ref(0)), op(burn, ref(1))], undefined],
    ['two, not sorted', [op(burn, ref(1)), op(burn, ref(0))], 'TX_OPERATIONS_NOT_SORTED'],
    ['none', [], 'TX_NO_OPERATIONS'],
    ['the same operation twice', [op(burn, ref(0)), op(burn, ref(0))], 'TX_DOUBLE_SPEND'],
    ['the same operation twice, without inputs', [op(nftMint), op(nftMint)], 'TX_OPERATIONS_NOT_SORTED'],
    ['an output that an input spends too', [op(burn, ref(7))], 'TX_DOUBLE_SPEND'],
    [
      'a double spend is reported before a later invalid operation',
      [op(burn, ref(7)), { ...op(burn, ref(8)), assetID: zeroId }],
      'TX_DOUBLE_SPEND',
    ],
    ['the same output twice in one operation', [op(burn, ref(3), ref(3))], 'TX_UTXO_IDS_NOT_SORTED'],
    ['outputs not sorted in one operation', [op(burn, ref(4), ref(3))], 'TX_UTXO_IDS_NOT_SORTED'],
    ['output order is checked before the asset', [{ ...op(burn, ref(4), ref(3)), assetID: zeroId }], 'TX_UTXO_IDS_NOT_SORTED'],
    ['no asset', [{ ...op({ ...burn, ...unsorted }, ref(3)), assetID: zeroId }], 'TX_EMPTY_ASSET_ID'],
    ['burn with unsorted indices', [op({ ...burn, ...unsorted }, ref(3))], 'TX_SIGNATURE_INDICES_NOT_SORTED'],
    ['secp mint', [op(secpMint, ref(3))], undefined],
    [
      'secp mint: indices first',
      [op({ ...secpMint, mintInput: unsorted, mintOutput: unspendable }, ref(3))],
      'TX_SIGNATURE_INDICES_NOT_SORTED',
    ],
    [
      'secp mint: mint owners',
      [op({ ...secpMint, mintOutput: unspendable, transferOutput: { ...owners, amount: 0n } }, ref(3))],
      'TX_OUTPUT_UNSPENDABLE',
    ],
    ['secp mint: amount', [op({ ...secpMint, transferOutput: { ...unspendable, amount: 0n } }, ref(3))], 'TX_NO_VALUE_OUTPUT'],
    ['nft mint with a payload of 1024', [op(nftMint, ref(3))], undefined],
    [
      'nft mint: payload first',
      [op({ ...nftMint, payload: new Uint8Array(1025), outputs: [unspendable] }, ref(3))],
      'TX_PAYLOAD_TOO_LARGE',
    ],
    [
      'nft mint: owners before indices',
      [op({ ...nftMint, mintInput: unsorted, outputs: [owners, unspendable] }, ref(3))],
      'TX_OUTPUT_UNSPENDABLE',
    ],
    ['nft mint without outputs', [op({ ...nftMint, outputs: [] }, ref(3))], undefined],
    ['nft transfer with a payload of 1024', [op(nftTransfer, ref(3))], undefined],
    [
      'nft transfer: indices first',
      [op({ ...nftTransfer, input: unsorted, output: { ...unspendable, groupID: 1, payload: new Uint8Array(1025) } }, ref(3))],
      'TX_SIGNATURE_INDICES_NOT_SORTED',
    ],
    [
      'nft transfer: payload before owners',
      [op({ ...nftTransfer, output: { ...unspendable, groupID: 1, payload: new Uint8Array(1025) } }, ref(3))],
      'TX_PAYLOAD_TOO_LARGE',
    ],
    ['property mint', [op(propertyMint, ref(3))], undefined],
    ['property mint: owned output', [op({ ...propertyMint, ownedOutput: unspendable }, ref(3))], 'TX_OUTPUT_UNSPENDABLE'],
  ];
  test.each(table)('%s', (_, operations, code) => expect(codeOf(() => run(...operations))).toBe(code as string));
});

describe('credentials', () => {
  const baseTx: UnsignedTx = { kind: 'BaseTx', ...base };
  const of = (value: Output): Credential => value;
  const table: [string, Credential[], string | undefined][] = [
    ['one for one input', [secp], undefined],
    ['of a wrong type: not checked here', [credential('nftfx', alice)], undefined],
    ['a valid output as credential: not checked here', [of(mintOutput)], undefined],
    ['an invalid output as credential', [of({ ...mintOutput, threshold: 2 })], 'TX_OUTPUT_UNSPENDABLE'],
    ['an invalid input as credential', [{ kind: 'secp256k1fx.TransferInput', amount: 0n, signatureIndices: [] }], 'TX_NO_VALUE_INPUT'],
    ['one too many, and invalid: validity is checked first', [secp, of({ ...mintOutput, threshold: 2 })], 'TX_OUTPUT_UNSPENDABLE'],
    ['too many', [secp, secp], 'TX_CREDENTIAL_COUNT'],
    ['none', [], 'TX_CREDENTIAL_COUNT'],
  ];
  test.each(table)('%s', (_, credentials, code) => expect(codeOf(() => verify(baseTx, credentials))).toBe(code as string));

  test('an import needs one for each input of both lists', () => {
    const importTx: UnsignedTx = { kind: 'ImportTx', ...base, sourceChain: pChain, importedInputs: [feeInput] };
    expect(codeOf(() => verify(importTx, [secp, secp]))).toBeUndefined();
    expect(faultOf(() => verify(importTx, [secp]))).toMatchObject({ code: 'TX_CREDENTIAL_COUNT', want: 2, got: 1 });
  });
});
