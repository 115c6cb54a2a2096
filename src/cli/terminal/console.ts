import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { BlockSummary } from '../../app/output/block-summary.ts';
import { type After, gatherBlocks } from '../../app/output/gather-blocks.ts';
import { type LineLimit, limitLines } from '../../app/output/limit-lines.ts';
import { cleanText, escapeJson } from '../../base/bytes/printable.ts';
import {
  formatBlockJson,
  formatBlockLine,
  formatEventJson,
  formatRefusedCounts,
  formatRefusedCountsJson,
  formatRefusedJson,
  formatRefusedLine,
  joinParts,
} from './event-lines.ts';
import type { Screen } from './screen.ts';
import { createTxRate, formatStatusLine, type NodeStatus } from './status-line.ts';
import type { Style } from './style.ts';

/** Prints what happens to a running node: accepted blocks, reverts and refused calls, and the status line. */
export type Console = {
  readonly onBlock: (summary: BlockSummary) => void;
  readonly onRevert: (chain: string, height: bigint, snapshot: string) => void;
  readonly refused: LineLimit<RefusedCall>;
  readonly showStatus: (read: () => Omit<NodeStatus, 'txsPerSecond'>) => void;
  /** Prints what is gathered and a last line, and removes the status line. */
  readonly close: (last: { readonly height: bigint; readonly note: string }) => void;
};

export function createConsole({
  screen,
  format,
  style,
  after,
  time,
  stamp,
  monotonic,
}: {
  readonly screen: Screen;
  readonly format: 'text' | 'json';
  readonly style: Style;
  readonly after: After;
  /** The time of a line: `14:02:11` for a person, RFC 3339 for JSON; empty if the stamp has it. */
  readonly time: () => string;
  /** Time and level before each line of a file; empty at a terminal. */
  readonly stamp: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}): Console {
  const rate = createTxRate(monotonic);
  const isJson = format === 'json';
  const print = (json: () => string, text: () => string): void => screen.print(isJson ? json() : stamp() + text());
  const blocks = gatherBlocks(
    (summary) =>
      print(
        () => formatBlockJson(summary, time()),
        () => formatBlockLine(summary, time(), style),
      ),
    after,
  );
  const refused = limitLines<RefusedCall>(
    {
      show: (call) =>
        print(
          () => formatRefusedJson(call, time()),
          () => formatRefusedLine(call, time(), style),
        ),
      showCounts: (counts) =>
        print(
          () => formatRefusedCountsJson(counts, time()),
          () => formatRefusedCounts(counts, time(), style),
        ),
    },
    after,
  );
  return {
    onBlock: (summary) => {
      rate.add(summary.txs);
      blocks.add(summary);
    },
    onRevert: (chain, height, snapshot) => {
      print(
        () => escapeJson(formatEventJson('reverted', time(), { chain, height: `${height}`, snapshot })),
        () =>
          joinParts([
            style.bold(chain === 'X' ? `#${height}` : `${chain} #${height}`),
            style.dim(time()),
            `reverted to ${cleanText(snapshot)}`,
          ]),
      );
    },
    refused,
    showStatus: (read) => screen.setStatus((columns) => formatStatusLine({ ...read(), txsPerSecond: rate.perSecond() }, columns)),
    close: ({ height, note }) => {
      blocks.close();
      refused.close();
      print(
        () => formatEventJson('stopped', time(), { height: `${height}`, note }),
        () => `${style.bold('stopped')} at height ${height}; ${note}`,
      );
      screen.close();
    },
  };
}
