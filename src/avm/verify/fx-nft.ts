import { equal } from '../../base/bytes/octets.ts';
import type { NftTransferOutput } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { cannotTransfer, type FxRules, requireCredential, requireOutput, requireSingleOutput, verifySigIndices } from './fx.ts';
import { verifyOwners, verifySignatures } from './owners.ts';
import { limits } from './rules.ts';
import { verifyEach } from './verify-each.ts';

/** NFTs: outputs with a payload, in groups. AvalancheGo: vms/nftfx. It checks the number of outputs before the credential; secp256k1fx does the reverse. */
export const nftRules: FxRules<'nftfx'> = {
  values: {
    'nftfx.MintOutput': verifyOwners,
    'nftfx.TransferOutput': verifyTransferOutput,
    'nftfx.MintOperation': (operation) => {
      verifyPayload(operation.payload);
      verifyEach('outputs', operation.outputs, undefined, verifyOwners);
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
      const only = requireSingleOutput(spent, 'UTXOs');
      const { signatures } = requireCredential('nftfx.Credential', credential);
      const output = requireOutput('nftfx.MintOutput', only);
      verifyOwners(output);
      verifyGroup(output.groupID, operation.groupID);
      verifySignatures(output, operation.mintInput.signatureIndices, signatures, signing);
    },
    'nftfx.TransferOperation': (operation, credential, spent, signing) => {
      const only = requireSingleOutput(spent, 'UTXOs');
      const { signatures } = requireCredential('nftfx.Credential', credential);
      const output = requireOutput('nftfx.TransferOutput', only);
      verifyTransferOutput(output);
      verifyGroup(output.groupID, operation.output.groupID);
      if (!equal(output.payload, operation.output.payload)) throw new TxError('wrong bytes provided', { code: 'TX_WRONG_PAYLOAD' });
      verifySignatures(output, operation.input.signatureIndices, signatures, signing);
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
