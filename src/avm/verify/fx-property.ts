import { TxError } from './fault.ts';
import { cannotTransfer, type FxRules, requireCredential, requireOutput, requireSingleOutput, verifySigIndices } from './fx.ts';
import { ownersEqual, verifyOwners, verifySignatures } from './owners.ts';

/** Outputs with owners and no amount; they can be minted and burned. AvalancheGo: vms/propertyfx. */
export const propertyRules: FxRules<'propertyfx'> = {
  values: {
    'propertyfx.MintOutput': verifyOwners,
    'propertyfx.OwnedOutput': verifyOwners,
    'propertyfx.MintOperation': (operation) => {
      verifySigIndices(operation.mintInput);
      verifyOwners(operation.mintOutput);
      verifyOwners(operation.ownedOutput);
    },
    'propertyfx.BurnOperation': verifySigIndices,
    'propertyfx.Credential': () => {},
  },

  transfer: cannotTransfer('propertyfx'),

  operations: {
    'propertyfx.MintOperation': (operation, credential, spent, signing) => {
      const only = requireSingleOutput(spent, 'UTXOs');
      const { signatures } = requireCredential('propertyfx.Credential', credential);
      const output = requireOutput('propertyfx.MintOutput', only);
      verifyOwners(output);
      if (!ownersEqual(output, operation.mintOutput)) throw new TxError('wrong mint output provided', { code: 'TX_WRONG_MINT_OUTPUT' });
      verifySignatures(output, operation.mintInput.signatureIndices, signatures, signing);
    },
    'propertyfx.BurnOperation': (operation, credential, spent, signing) => {
      const only = requireSingleOutput(spent, 'UTXOs');
      const { signatures } = requireCredential('propertyfx.Credential', credential);
      const output = requireOutput('propertyfx.OwnedOutput', only);
      verifyOwners(output);
      verifySignatures(output, operation.signatureIndices, signatures, signing);
    },
  },
};
