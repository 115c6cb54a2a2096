import type { EngineBlock } from '../../avm/vm.ts';
import { idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { OuterBlockError } from '../../network/proposervm/fault.ts';
import type { Env } from '../platform/env.ts';

/** The blocks of peers that a joined chain refused. */
export type RefusedBlocks = {
  /** Logs a refusal; each reason as a warning at most once a minute, since a peer could fill the log. */
  readonly add: (block: EngineBlock, error: unknown) => void;
  /** The message of the last refusal at a height above `height`. */
  readonly lastReason: (height: bigint) => string | undefined;
  /** The unknown P-Chain height to which the last block above `height` referred that was refused for it. */
  readonly unknownPChainHeight: (height: bigint) => bigint | undefined;
};

const quietTime = 60_000;

export function createRefusedBlocks(alias: string, env: Pick<Env, 'log' | 'clock'>): RefusedBlocks {
  /** By reason: when it was last logged, and the refusals since. Faults have a code each, so there are few reasons. */
  const reasons = new Map<string, { readonly at: number; count: number }>();
  let unknown: { readonly height: bigint; readonly pChainHeight: bigint } | undefined;
  let last: { readonly height: bigint; readonly message: string } | undefined;
  return {
    add: ({ id, height }, error) => {
      const message = (error as { message?: string } | null)?.message ?? String(error);
      last = { height, message };
      if (error instanceof OuterBlockError && error.fault.code === 'OUTER_P_CHAIN_HEIGHT_UNKNOWN')
        unknown = { height, pChainHeight: error.fault.height };
      const reason = error instanceof Fault ? String((error.fault as { code: string }).code) : 'other';
      const now = env.clock.monotonic();
      const known = reasons.get(reason);
      const line = `${alias}: refused block ${idText(id)} at height ${height}: ${message}`;
      if (known !== undefined && now - known.at < quietTime) {
        known.count++;
        env.log(line, 'debug');
        return;
      }
      const more = known === undefined || known.count === 0 ? '' : ` (and ${known.count} more for this reason since the last such line)`;
      reasons.set(reason, { at: now, count: 0 });
      env.log(`${line}${more}`, 'warn');
    },
    lastReason: (height) => (last !== undefined && last.height > height ? last.message : undefined),
    unknownPChainHeight: (height) => (unknown !== undefined && unknown.height > height ? unknown.pChainHeight : undefined),
  };
}
