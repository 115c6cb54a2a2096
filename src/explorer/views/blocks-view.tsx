import { type BlocksData, blocksPath } from '../load/load-blocks.ts';
import type { ViewProps } from '../load/page-context.ts';
import { ageText, bytesText, groupDigits, shortId } from '../text/text-format.ts';
import { Pager, PagerFoot } from './pager.tsx';
import { PageHead, SaveMenu } from './parts.tsx';

export function BlocksView({ data: { blocks, pager }, now }: ViewProps<BlocksData>) {
  const largest = Math.max(1, ...blocks.map(({ txs }) => txs));
  return (
    <>
      <PageHead
        title="Blocks"
        buttons={<SaveMenu csv="blocks" />}
        line={blocks[0] === undefined ? 'none yet' : `${groupDigits(blocks[0].height)} down to ${groupDigits(blocks.at(-1)?.height ?? 0)}`}
      />
      <Pager pager={pager} list="blocks" what="blocks" jump={{ path: blocksPath }} />
      <section class="panel scroll">
        <table data-csv="blocks" class="steady">
          <thead>
            <tr>
              <th class="number">Height</th>
              <th>Block ID</th>
              <th class="number">Transactions</th>
              <th class="bar-cell">
                <span class="hidden">Share of the largest</span>
              </th>
              <th class="number wide-only">Size</th>
              <th class="number">Age</th>
            </tr>
          </thead>
          <tbody>
            {blocks.map(({ height, id, txs, bytes, time }) => (
              <tr>
                <td class="number">
                  <a href={`/block/${height}`}>{groupDigits(height)}</a>
                </td>
                <td class="mono" title={id}>
                  {shortId(id)}
                </td>
                <td class="number">{groupDigits(txs)}</td>
                <td class="bar-cell">
                  <svg width="200" height="10" viewBox="0 0 200 10" aria-hidden="true">
                    <rect x="0" y="0" width={(txs / largest) * 200} height="10" class="mark-fill-1" />
                  </svg>
                </td>
                <td class="number wide-only">{bytesText(bytes)}</td>
                <td class="number quiet" data-age={time}>
                  {ageText(now - time)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <PagerFoot pager={pager} list="blocks" what="blocks" />
    </>
  );
}
