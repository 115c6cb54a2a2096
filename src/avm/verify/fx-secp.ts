import type { TransferOutput } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { type FxRules, requireCredential, requireOutput, requireSingleOutput, verifySigIndices } from './fx.ts';
import { ownersEqual, verifyOwners, verifySignatures } from './owners.ts';

/**
 * Outputs with an amount. AvalancheGo: vms/secp256k1fx. verifySyntax has verified input, operation and credential. The spent output is
 * verified here, because outputs from genesis or from another chain were never verified by these rules.
 */
export const secpRules: FxRules<'secp256k1fx'> = {
  values: {
    'secp256k1fx.TransferInput': (input) => {
      if (input.amount === 0n) throw new TxError('input has no value', { code: 'TX_NO_VALUE_INPUT' });
      verifySigIndices(input);
    },
    'secp256k1fx.MintOutput': verifyOwners,
    'secp256k1fx.TransferOutput': verifyTransferOutput,
    'secp256k1fx.MintOperation': (operation) => {
      verifySigIndices(operation.mintInput);
      verifyOwners(operation.mintOutput);
      verifyTransferOutput(operation.transferOutput);
    },
    'secp256k1fx.Credential': () => {},
  },

  transfer: (input, credential, spent, signing) => {
    const { signatures } = requireCredential('secp256k1fx.Credential', credential);
    const output = requireOutput('secp256k1fx.TransferOutput', spent);
    verifyTransferOutput(output);
    if (output.amount !== input.amount)
      throw new TxError(`utxo amount and input amount are not equal: ${output.amount} != ${input.amount}`, {
        code: 'TX_WRONG_AMOUNT',
        want: String(output.amount),
        got: String(input.amount),
      });
    verifySignatures(output, input.signatureIndices, signatures, signing);
  },

  operations: {
    'secp256k1fx.MintOperation': (operation, credential, spent, signing) => {
      const { signatures } = requireCredential('secp256k1fx.Credential', credential);
      const output = requireOutput('secp256k1fx.MintOutput', requireSingleOutput(spent, 'utxos'));
      verifyOwners(output);
      if (!ownersEqual(output, operation.mintOutput))
        throw new TxError('wrong mint output created from the operation', { code: 'TX_WRONG_MINT_OUTPUT' });
      verifySignatures(output, operation.mintInput.signatureIndices, signatures, signing);
    },
  },
};

function verifyTransferOutput(output: TransferOutput): void {
  if (output.amount === 0n) throw new TxError('output has no value', { code: 'TX_NO_VALUE_OUTPUT' });
  verifyOwners(output);
}
