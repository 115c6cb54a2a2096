import { type InitialState, Output } from '../src/avm/tx/output.ts';
import { type DraftMutation, editDraft, swapFirstTwo } from './draft-edits.ts';
import { ownedBy } from './wallet-kit.ts';

type CreateAssetMutation = DraftMutation<'CreateAssetTx'>;

const setText =
  (field: 'name' | 'symbol', text: string): CreateAssetMutation[2] =>
  (_, draft) =>
    editDraft(draft, { [field]: Buffer.from(text) });

/** Replaces the initial states. */
const changeStates =
  (change: (states: readonly InitialState[]) => readonly InitialState[] | undefined): CreateAssetMutation[2] =>
  (tx, draft) => {
    const changed = change(tx.initialStates);
    return changed && editDraft(draft, { initialStates: changed });
  };

const setOnlyOutput = (fxIndex: number, output: Output): CreateAssetMutation[2] => changeStates(() => [{ fxIndex, outputs: [output] }]);

const noOwners = ownedBy([], 0);
const unspendableOwners = ownedBy([], 1);

export const createAssetMutations: readonly CreateAssetMutation[] = [
  ['no name', 'TX_NAME_TOO_SHORT', setText('name', '')],
  ['too long a name', 'TX_NAME_TOO_LONG', setText('name', 'a'.repeat(129))],
  ['a blank before the name', 'TX_NAME_WHITESPACE', setText('name', ' name')],
  ['a tab after the name', 'TX_NAME_WHITESPACE', setText('name', 'name\t')],
  ['a wide blank after the name', 'TX_NAME_WHITESPACE', setText('name', 'name\u3000')],
  ['a character that is not a letter', 'TX_NAME_CHARACTER', setText('name', 'na_me')],
  ['a non-ASCII letter', 'TX_NAME_CHARACTER', setText('name', 'naïve')],
  ['a name that is not UTF-8', 'TX_NAME_CHARACTER', (_, draft) => editDraft(draft, { name: Uint8Array.of(0x61, 0xff, 0xfe, 0x61) })],
  ['no symbol', 'TX_SYMBOL_TOO_SHORT', setText('symbol', '')],
  ['too long a symbol', 'TX_SYMBOL_TOO_LONG', setText('symbol', 'ABCDE')],
  ['a lower-case letter in the symbol', 'TX_SYMBOL_CHARACTER', setText('symbol', 'AbC')],
  ['a digit in the symbol', 'TX_SYMBOL_CHARACTER', setText('symbol', 'AB1')],
  [
    'too large a denomination',
    'TX_DENOMINATION_TOO_LARGE',
    (_, draft, { random }) => editDraft(draft, { denomination: 33 + random.below(223) }),
  ],
  ['no states', 'TX_NO_INITIAL_STATES', changeStates(() => [])],
  ['an unknown feature extension', 'TX_UNKNOWN_FX', changeStates((all) => [...all, { fxIndex: 3, outputs: [] }])],
  ['states in the wrong order', 'TX_INITIAL_STATES_NOT_SORTED', changeStates((all) => (all.length < 2 ? undefined : all.toReversed()))],
  ['a state twice', 'TX_INITIAL_STATES_NOT_SORTED', changeStates((all) => [...all, ...all.slice(-1)])],
  ['unsorted outputs of a state', 'TX_OUTPUTS_NOT_SORTED', unsortStateOutputs],
  ['a state with amount 0', 'TX_NO_VALUE_OUTPUT', setOnlyOutput(0, { kind: 'secp256k1fx.TransferOutput', amount: 0n, ...noOwners })],
  ['an unspendable mint', 'TX_OUTPUT_UNSPENDABLE', setOnlyOutput(0, { kind: 'secp256k1fx.MintOutput', ...unspendableOwners })],
  ['an unspendable NFT mint', 'TX_OUTPUT_UNSPENDABLE', setOnlyOutput(1, { kind: 'nftfx.MintOutput', groupID: 1, ...unspendableOwners })],
  ['an unspendable property', 'TX_OUTPUT_UNSPENDABLE', setOnlyOutput(2, { kind: 'propertyfx.OwnedOutput', ...unspendableOwners })],
  [
    'too large a payload',
    'TX_PAYLOAD_TOO_LARGE',
    setOnlyOutput(1, { kind: 'nftfx.TransferOutput', groupID: 1, payload: new Uint8Array(1025), ...noOwners }),
  ],
];

function unsortStateOutputs(...[tx, draft]: Parameters<CreateAssetMutation[2]>): ReturnType<CreateAssetMutation[2]> {
  const at = tx.initialStates.findIndex(({ outputs }) => swapFirstTwo(Output, outputs) !== undefined);
  const state = tx.initialStates[at];
  if (state === undefined) return undefined;
  return editDraft(draft, { initialStates: tx.initialStates.with(at, { ...state, outputs: swapFirstTwo(Output, state.outputs) ?? [] }) });
}
