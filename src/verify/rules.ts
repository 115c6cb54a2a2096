import type { Id } from '../bytes/id.ts';
import { fxs } from '../tx/fx.ts';

/** What the rules ask of a chain: who it is, and what it charges. */
export type Rules = {
  readonly networkID: number;
  readonly chainID: Id;
  /** The first asset of the genesis. */
  readonly feeAsset: Id;
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
};

/** Limits that no network changes, in bytes or as counts. */
export const limits = {
  /** The P-Chain forbids memos since Durango, the X-Chain does not. Peer: vms/components/avax/base_tx.go. */
  maxMemo: 256,
  /** Peer: vms/avm/txs/executor/syntactic_verifier.go. */
  minName: 1,
  maxName: 128,
  minSymbol: 1,
  maxSymbol: 4,
  maxDenomination: 32,
  /** Peer: vms/nftfx/transfer_output.go. */
  maxPayload: 1024,
  fxCount: fxs.length,
} as const;
