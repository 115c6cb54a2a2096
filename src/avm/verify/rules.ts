import type { Id } from '../../base/bytes/id.ts';
import { fxs } from '../tx/fx.ts';

/** A chain's IDs and fees. */
export type Rules = {
  readonly networkID: number;
  readonly chainID: Id;
  /** The first asset of the genesis, in which fees are paid. */
  readonly feeAsset: Id;
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
};

/** Limits that are equal on all networks, in bytes or as counts. */
export const limits = {
  /** The P-Chain has rejected memos since Durango; the X-Chain accepts them. AvalancheGo: vms/components/avax/base_tx.go. */
  maxMemo: 256,
  /** AvalancheGo: vms/avm/txs/executor/syntactic_verifier.go. */
  minName: 1,
  maxName: 128,
  minSymbol: 1,
  maxSymbol: 4,
  maxDenomination: 32,
  /** AvalancheGo: vms/nftfx/transfer_output.go. */
  maxPayload: 1024,
  fxCount: fxs.length,
} as const;
