import type { Tx } from '../tx/tx.ts';
import { handle, type TxHandlers } from '../tx/unsigned.ts';
import { verifyBase, verifyCredentials } from './base.ts';
import { verifyDescription, verifyInitialStates } from './create-asset.ts';
import { TxError } from './fault.ts';
import { type Flow, verifyFlow } from './flow.ts';
import { verifyOperations } from './operations.ts';
import type { Rules } from './rules.ts';

/**
 * What can be said of a transaction by itself. Throws a TxError; the first fault wins, so the order is the peer's.
 * Peer: vms/avm/txs/executor/syntactic_verifier.go.
 */
export function verifySyntax({ unsigned, credentials }: Tx, rules: Rules): void {
  handle(beforeAll, unsigned);
  verifyBase(unsigned, rules);
  verifyFlow(handle(flowUnder(rules), unsigned), rules.feeAsset);
  handle(afterFlow, unsigned);
  verifyCredentials(credentials, handle(credentialsNeeded, unsigned));
}

const nothing = (): void => {};

/** What a kind asks first, even before which chain it is for. */
const beforeAll: TxHandlers<void> = {
  BaseTx: nothing,
  CreateAssetTx: verifyDescription,
  OperationTx: ({ operations }) => {
    if (operations.length === 0) throw new TxError('an operationTx must have at least one operation', { code: 'TX_NO_OPERATIONS' });
  },
  ImportTx: ({ importedInputs }) => {
    if (importedInputs.length === 0) throw new TxError('no import inputs', { code: 'TX_NO_IMPORT_INPUTS' });
  },
  ExportTx: ({ exportedOutputs }) => {
    if (exportedOutputs.length === 0) throw new TxError('no export outputs', { code: 'TX_NO_EXPORT_OUTPUTS' });
  },
};

/** What an operation makes is not in the flow: minting is the right of who holds the mint output. */
const flowUnder = (rules: Rules): TxHandlers<Flow> => ({
  BaseTx: ({ inputs, outputs }) => ({ fee: rules.txFee, inputs: { inputs }, outputs: { outputs } }),
  CreateAssetTx: ({ inputs, outputs }) => ({ fee: rules.createAssetTxFee, inputs: { inputs }, outputs: { outputs } }),
  OperationTx: ({ inputs, outputs }) => ({ fee: rules.txFee, inputs: { inputs }, outputs: { outputs } }),
  ImportTx: ({ inputs, outputs, importedInputs }) => ({ fee: rules.txFee, inputs: { inputs, importedInputs }, outputs: { outputs } }),
  ExportTx: ({ inputs, outputs, exportedOutputs }) => ({ fee: rules.txFee, inputs: { inputs }, outputs: { outputs, exportedOutputs } }),
});

const afterFlow: TxHandlers<void> = {
  BaseTx: nothing,
  CreateAssetTx: verifyInitialStates,
  OperationTx: verifyOperations,
  ImportTx: nothing,
  ExportTx: nothing,
};

/** One for each input, in order, then one for each thing the kind adds. */
const credentialsNeeded: TxHandlers<number> = {
  BaseTx: ({ inputs }) => inputs.length,
  CreateAssetTx: ({ inputs }) => inputs.length,
  OperationTx: ({ inputs, operations }) => inputs.length + operations.length,
  ImportTx: ({ inputs, importedInputs }) => inputs.length + importedInputs.length,
  ExportTx: ({ inputs }) => inputs.length,
};
