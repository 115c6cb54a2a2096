import type { Id } from '../../base/bytes/id.ts';
import { OuterBlockError } from './fault.ts';
import { type OuterBlock, signedHeader } from './outer-block.ts';

/** Whether the key of a certificate made a signature of a message; undefined if AvalancheGo does not accept the certificate. */
export type VerifySignature = (certificate: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | undefined;

/**
 * Checks what AvalancheGo checks when it parses a block: certificate, then epoch, then signature. A block that fails was not made by its
 * proposer, so it must not be stored under its ID. AvalancheGo: vms/proposervm/block/block.go.
 */
export function verifyBlockSignature(block: OuterBlock, chainId: Id, verify: VerifySignature): void {
  const isValid =
    block.proposer === undefined
      ? block.signature.length === 0
      : verify(block.certificate, signedHeader(chainId, block.parentID, block.id), block.signature);
  if (isValid === undefined) throw new OuterBlockError('invalid certificate', { code: 'OUTER_INVALID_CERTIFICATE' });
  if (block.epoch !== undefined && isZero(block.epoch))
    throw new OuterBlockError('epoch must be provided after granite', { code: 'OUTER_ZERO_EPOCH' });
  if (isValid) return;
  throw block.proposer === undefined
    ? new OuterBlockError('signature provided when none was expected', { code: 'OUTER_UNEXPECTED_SIGNATURE' })
    : new OuterBlockError('invalid signature of the proposer', { code: 'OUTER_BAD_SIGNATURE' });
}

const isZero = (epoch: NonNullable<OuterBlock['epoch']>): boolean =>
  epoch.pChainHeight === 0n && epoch.number === 0n && epoch.startTime === 0n;
