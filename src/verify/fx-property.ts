import { TxError } from './fault.ts';
import { cannotTransfer, credentialOf, type FxRules, onlyOutput, outputOf, verifySigIndices } from './fx.ts';
import { sameOwners, verifyOwners, verifySigned } from './owners.ts';

/** Bare ownership, minted and burnt. Peer: vms/propertyfx. */
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
      const only = onlyOutput(spent, 'UTXOs');
      const { signatures } = credentialOf('propertyfx.Credential', credential);
      const output = outputOf('propertyfx.MintOutput', only);
      verifyOwners(output);
      if (!sameOwners(output, operation.mintOutput)) throw new TxError('wrong mint output provided', { code: 'TX_WRONG_MINT_OUTPUT' });
      verifySigned(output, operation.mintInput.signatureIndices, signatures, signing);
    },
    'propertyfx.BurnOperation': (operation, credential, spent, signing) => {
      const only = onlyOutput(spent, 'UTXOs');
      const { signatures } = credentialOf('propertyfx.Credential', credential);
      const output = outputOf('propertyfx.OwnedOutput', only);
      verifyOwners(output);
      verifySigned(output, operation.signatureIndices, signatures, signing);
    },
  },
};
