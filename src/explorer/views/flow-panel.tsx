import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Tx } from '../../api/contract/answers.ts';
import { flowOf } from '../load/flow-data.ts';
import type { PageContext } from '../load/page-context.ts';
import { Flow, fittingScale } from '../pictures/flow.tsx';
import { Panel, SaveMenu, type Scale, ScaleSwitch } from './parts.tsx';
import { useWidth } from './use-width.ts';

type FlowProps = {
  readonly tx: Pick<Tx, 'txType' | 'consumedUtxos' | 'emittedUtxos'>;
  readonly change: readonly number[];
  readonly context: PageContext;
  readonly now: number;
  readonly title?: ComponentChildren;
  /** Name of the table with the same facts, which is then saved from here. */
  readonly csv?: string;
  /** The page with the lists of outputs, if it is another one. */
  readonly page?: string;
};

/** The flow of a transaction, at a scale that the reader may change. */
export function FlowPanel({ tx, change, context, now, title = 'Flow', csv, page = '' }: FlowProps) {
  const { ref, width } = useWidth(1152);
  const bundles = flowOf(tx, context, now, change);
  const [chosen, setChosen] = useState<Scale>();
  const scale = chosen ?? fittingScale(bundles);
  const label = `Flow from consumed to produced outputs; ${page === '' ? 'the lists below have' : 'the page of the transaction has'} the same facts`;
  return (
    <Panel
      title={title}
      weight="answer"
      side={
        <>
          <span class="wide-only">
            {scale === 'log' ? 'Width grows with the logarithm of the amount' : 'Width is the share of its asset'}
          </span>
          <ScaleSwitch value={scale} onChange={setChosen} />
          {csv === undefined ? <SaveMenu svg="flow" /> : <SaveMenu csv={csv} svg="flow" />}
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="flow">
        <div class="wide-only">
          <Flow bundles={bundles} width={Math.max(720, width)} isLog={scale === 'log'} label={label} page={page} />
        </div>
        <div class="narrow-only">
          <Flow bundles={bundles} width={358} isLog={scale === 'log'} label={label} page={page} />
        </div>
      </div>
    </Panel>
  );
}
