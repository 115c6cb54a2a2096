import type { BlockSummary } from '../../app/feed/block-summary.ts';
import { type After, gatherBlocks } from '../../app/feed/gather-blocks.ts';
import { limitRefused, type RefusedLimit } from '../../app/feed/limit-refused.ts';
import { formatBlockJson, formatBlockLine } from './block-line.ts';
import { formatRefusedCounts, formatRefusedCountsJson, formatRefusedJson, formatRefusedLine } from './refused-line.ts';
import type { Screen } from './screen.ts';
import { createTxRate, formatStatusLine, type NodeStatus } from './status-line.ts';
import type { Style } from './style.ts';

export type ConsoleDeps = {
  readonly screen: Screen;
  readonly format: 'text' | 'json';
  readonly style: Style;
  readonly after: After;
  /** The time of day as text: `14:02:11` for a person, RFC 3339 for JSON. */
  readonly time: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
};

/** Prints what happens to a running node: accepted blocks, reverts and refused calls, and the status line. */
export type Console = {
  readonly onBlock: (summary: BlockSummary) => void;
  readonly onRevert: (chain: string, height: bigint, snapshot: string) => void;
  readonly refused: RefusedLimit;
  readonly showStatus: (read: () => Omit<NodeStatus, 'txsPerSecond'>) => void;
  /** Prints what is gathered and a last line, and removes the status line. */
  readonly close: (last: { readonly height: bigint; readonly note: string }) => void;
};

export function createConsole({ screen, format, style, after, time, monotonic }: ConsoleDeps): Console {
  const rate = createTxRate(monotonic);
  const isJson = format === 'json';
  const blocks = gatherBlocks(
    (summary) => screen.print(isJson ? formatBlockJson(summary, time()) : formatBlockLine(summary, time(), style)),
    after,
  );
  const refused = limitRefused(
    {
      show: (call) => screen.print(isJson ? formatRefusedJson(call, time()) : formatRefusedLine(call, time(), style)),
      showCounts: (counts) => screen.print(isJson ? formatRefusedCountsJson(counts, time()) : formatRefusedCounts(counts, time(), style)),
    },
    after,
  );
  return {
    onBlock: (summary) => {
      rate.add(summary.txs);
      blocks.add(summary);
    },
    onRevert: (chain, height, snapshot) => {
      screen.print(
        isJson
          ? JSON.stringify({ event: 'reverted', time: time(), chain, height: `${height}`, snapshot })
          : `${style.bold(chain === 'X' ? `#${height}` : `${chain} #${height}`)}  ${style.dim(time())}  reverted to ${snapshot}`,
      );
    },
    refused,
    showStatus: (read) => screen.setStatus((columns) => formatStatusLine({ ...read(), txsPerSecond: rate.perSecond() }, columns)),
    close: ({ height, note }) => {
      blocks.close();
      refused.close();
      screen.print(
        isJson
          ? JSON.stringify({ event: 'stopped', time: time(), height: `${height}`, note })
          : `${style.bold('stopped')} at height ${height}; ${note}`,
      );
      screen.close();
    },
  };
}
