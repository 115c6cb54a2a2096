import { equal } from '../bytes/octets.ts';
import type { NftTransferOutput } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { cannotTransfer, credentialOf, type FxRules, onlyOutput, outputOf, verifySigIndices } from './fx.ts';
import { verifyOwners, verifySigned } from './owners.ts';
import { each } from './place.ts';
import { limits } from './rules.ts';

/** Single pieces with a payload, in groups. Peer: vms/nftfx. It counts the outputs before it looks at the credential; secp does not. */
export const nftRules: FxRules<'nftfx'> = {
  values: {
    'nftfx.MintOutput': verifyOwners,
    'nftfx.TransferOutput': verifyTransferOutput,
    'nftfx.MintOperation': (operation) => {
      verifyPayload(operation.payload);
      each('outputs', operation.outputs, verifyOwners);
      verifySigIndices(operation.mintInput);
    },
    'nftfx.TransferOperation': (operation) => {
      verifySigIndices(operation.input);
      verifyTransferOutput(operation.output);
    },
    'nftfx.Credential': () => {},
  },

  transfer: cannotTransfer('nftfx'),

  operations: {
    'nftfx.MintOperation': (operation, credential, spent, signing) => {
      const only = onlyOutput(spent, 'UTXOs');
      const { signatures } = credentialOf('nftfx.Credential', credential);
      const output = outputOf('nftfx.MintOutput', only);
      verifyOwners(output);
      verifyGroup(output.groupID, operation.groupID);
      verifySigned(output, operation.mintInput.signatureIndices, signatures, signing);
    },
    'nftfx.TransferOperation': (operation, credential, spent, signing) => {
      const only = onlyOutput(spent, 'UTXOs');
      const { signatures } = credentialOf('nftfx.Credential', credential);
      const output = outputOf('nftfx.TransferOutput', only);
      verifyTransferOutput(output);
      verifyGroup(output.groupID, operation.output.groupID);
      if (!equal(output.payload, operation.output.payload)) throw new TxError('wrong bytes provided', { code: 'TX_WRONG_PAYLOAD' });
      verifySigned(output, operation.input.signatureIndices, signatures, signing);
    },
  },
};

function verifyTransferOutput(output: NftTransferOutput): void {
  verifyPayload(output.payload);
  verifyOwners(output);
}

function verifyPayload({ length: size }: Uint8Array): void {
  if (size > limits.maxPayload) throw new TxError('payload too large', { code: 'TX_PAYLOAD_TOO_LARGE', size, max: limits.maxPayload });
}

function verifyGroup(want: number, got: number): void {
  if (got !== want) throw new TxError('wrong unique ID provided', { code: 'TX_WRONG_GROUP', want, got });
}
