import { type BlocksData, blocksPath } from '../load/load-blocks.ts';
import type { ViewProps } from '../load/page-context.ts';
import { allKinds } from '../load/tx-kind.ts';
import { ageText, amountText, bytesText, groupDigits, shortId } from '../text/text-format.ts';
import { Rows } from './in-parts.tsx';
import { Pager, PagerFoot } from './pager.tsx';
import { AmountText, KindPill, PageHead, SaveMenu } from './parts.tsx';

export const BlocksView = ({ data: { blocks, pager }, context: { chain }, now }: ViewProps<BlocksData>) => (
  <>
    <PageHead title="Blocks" buttons={<SaveMenu csv="blocks" />} />
    <Pager pager={pager} list="blocks" what="blocks" jump={{ path: blocksPath }} />
    <section class="panel scroll">
      <table data-csv="blocks" class="block-list">
        <thead>
          <tr>
            <th>Height</th>
            <th>Transactions</th>
            <th class="number">Moved</th>
            <th class="number">Burned, {chain.feeSymbol}</th>
            <th class="number">Size</th>
            <th>Block ID</th>
            <th class="number">Age</th>
          </tr>
        </thead>
        <tbody>
          <Rows>
            {blocks.map(({ height, id, kinds, bytes, burned, moved, time }) => (
              <tr>
                <td>
                  <a href={`/block/${height}`}>{groupDigits(height)}</a>
                </td>
                <td class="line-2 kinds">
                  <Kinds kinds={kinds} />
                </td>
                <td class="number line-2-end">
                  <Moved moved={moved} />
                </td>
                <td class="number line-3" data-name="Burned">
                  {amountText(burned, chain.feeDecimals)}
                </td>
                <td class="number quiet line-3">{bytesText(bytes)}</td>
                <td class="line-3">
                  <a class="mono" href={`/block/${id}`} title={id}>
                    {shortId(id)}
                  </a>
                </td>
                <td class="number quiet line-1-end" data-age={time}>
                  {ageText(now - time)}
                </td>
              </tr>
            ))}
          </Rows>
        </tbody>
      </table>
    </section>
    <PagerFoot pager={pager} list="blocks" what="blocks" />
  </>
);

type Block = BlocksData['blocks'][number];

/** The transactions of a block, counted by kind. */
const Kinds = ({ kinds }: Pick<Block, 'kinds'>) => {
  const shown = allKinds.filter(([type]) => kinds[type] > 0);
  if (shown.length === 0) return <span class="quiet">none</span>;
  return shown.map(([type, kind]) => (
    <>
      <KindPill kind={kind} count={kinds[type]} />{' '}
    </>
  ));
};

function Moved({ moved }: Pick<Block, 'moved'>) {
  if (moved === undefined)
    return (
      <span class="quiet" title="The transactions of this page are too many to add up">
        –
      </span>
    );
  const [first] = moved.amounts;
  if (first === undefined) return <span class="quiet">nothing</span>;
  return (
    <>
      <AmountText amount={first} />
      {moved.count > 1 && <small class="quiet"> and {moved.count - 1} more</small>}
    </>
  );
}
