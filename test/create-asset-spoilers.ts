import { type InitialState, Output } from '../src/tx/output.ts';
import { type DraftSpoiler, edit, swapped } from './spoiling.ts';
import { ownedBy } from './wallet-kit.ts';

type Spoiler = DraftSpoiler<'CreateAssetTx'>;

const named =
  (field: 'name' | 'symbol', text: string): Spoiler[2] =>
  (_, draft) =>
    edit(draft, { [field]: Buffer.from(text) });

/** The states replaced by this one and those after it. */
const states =
  (change: (states: readonly InitialState[]) => readonly InitialState[] | undefined): Spoiler[2] =>
  (tx, draft) => {
    const changed = change(tx.initialStates);
    return changed && edit(draft, { initialStates: changed });
  };

const only = (fxIndex: number, output: Output): Spoiler[2] => states(() => [{ fxIndex, outputs: [output] }]);

const nobody = ownedBy([], 0);
const unspendable = ownedBy([], 1);

export const createAssetSpoilers: readonly Spoiler[] = [
  ['no name', 'TX_NAME_TOO_SHORT', named('name', '')],
  ['too long a name', 'TX_NAME_TOO_LONG', named('name', 'a'.repeat(129))],
  ['a blank before the name', 'TX_NAME_WHITESPACE', named('name', ' name')],
  ['a tab after the name', 'TX_NAME_WHITESPACE', named('name', 'name\t')],
  ['a wide blank after the name', 'TX_NAME_WHITESPACE', named('name', 'name\u3000')],
  ['a letter that is none', 'TX_NAME_CHARACTER', named('name', 'na_me')],
  ['a letter with an accent', 'TX_NAME_CHARACTER', named('name', 'naïve')],
  ['a name that is no UTF-8', 'TX_NAME_CHARACTER', (_, draft) => edit(draft, { name: Uint8Array.of(0x61, 0xff, 0xfe, 0x61) })],
  ['no symbol', 'TX_SYMBOL_TOO_SHORT', named('symbol', '')],
  ['too long a symbol', 'TX_SYMBOL_TOO_LONG', named('symbol', 'ABCDE')],
  ['a small letter in the symbol', 'TX_SYMBOL_CHARACTER', named('symbol', 'AbC')],
  ['a digit in the symbol', 'TX_SYMBOL_CHARACTER', named('symbol', 'AB1')],
  [
    'too large a denomination',
    'TX_DENOMINATION_TOO_LARGE',
    (_, draft, { random }) => edit(draft, { denomination: 33 + random.below(223) }),
  ],
  ['no states', 'TX_NO_INITIAL_STATES', states(() => [])],
  ['an unknown feature extension', 'TX_UNKNOWN_FX', states((all) => [...all, { fxIndex: 3, outputs: [] }])],
  ['states in the wrong order', 'TX_INITIAL_STATES_NOT_SORTED', states((all) => (all.length < 2 ? undefined : all.toReversed()))],
  ['a state twice', 'TX_INITIAL_STATES_NOT_SORTED', states((all) => [...all, ...all.slice(-1)])],
  ['unsorted outputs of a state', 'TX_OUTPUTS_NOT_SORTED', unsorted],
  ['a state of nothing', 'TX_NO_VALUE_OUTPUT', only(0, { kind: 'secp256k1fx.TransferOutput', amount: 0n, ...nobody })],
  ['an unspendable mint', 'TX_OUTPUT_UNSPENDABLE', only(0, { kind: 'secp256k1fx.MintOutput', ...unspendable })],
  ['an unspendable NFT mint', 'TX_OUTPUT_UNSPENDABLE', only(1, { kind: 'nftfx.MintOutput', groupID: 1, ...unspendable })],
  ['an unspendable property', 'TX_OUTPUT_UNSPENDABLE', only(2, { kind: 'propertyfx.OwnedOutput', ...unspendable })],
  [
    'too large a payload',
    'TX_PAYLOAD_TOO_LARGE',
    only(1, { kind: 'nftfx.TransferOutput', groupID: 1, payload: new Uint8Array(1025), ...nobody }),
  ],
];

function unsorted(...[tx, draft]: Parameters<Spoiler[2]>): ReturnType<Spoiler[2]> {
  const at = tx.initialStates.findIndex(({ outputs }) => swapped(Output, outputs) !== undefined);
  const state = tx.initialStates[at];
  if (state === undefined) return undefined;
  return edit(draft, { initialStates: tx.initialStates.with(at, { ...state, outputs: swapped(Output, state.outputs) ?? [] }) });
}
