import { useState } from 'preact/hooks';
import type { TxData } from '../load/load-tx.ts';
import { groupDigits } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { Layout } from './layout.tsx';
import { useLive } from './live.ts';
import type { PagePayload } from './page-payload.ts';
import type { AnyView } from './views.tsx';

/** A whole page: the same on the server and in the browser. `View` is that of `payload.view`. */
export const App = ({ payload, View }: { payload: PagePayload; View: AnyView }) => (
  <Layout frame={payload}>
    {useLive()?.isGone && <GoneNote payload={payload} />}
    <View data={payload.data} context={payload.context} now={payload.now} origin={payload.origin} />
  </Layout>
);

const words: { readonly [view: string]: string } = { tx: 'transaction', block: 'block', asset: 'asset', graph: 'output', output: 'output' };

/** Says that what the page shows was removed by a revert. A transaction can be sent again. */
export function GoneNote({ payload: { view, data, context } }: { payload: PagePayload }) {
  const actions = useActions();
  const [error, setError] = useState('');
  const tx = view === 'tx' ? (data as TxData) : undefined;
  // A page can only call its own server.
  const hex = tx?.state === 'accepted' && context.chain.rpcUrl.startsWith('/') ? tx.hex : undefined;
  const send = async (): Promise<void> => {
    const answer = await actions?.call(context.chain.rpcUrl, 'avm.issueTx', { tx: hex, encoding: 'hex' });
    setError(answer?.error?.message ?? '');
    if (answer?.error === undefined) await actions?.reload();
  };
  return (
    <section class="gone-note">
      <h2>This {words[view] ?? 'page'} is no longer in the chain</h2>
      {tx?.state === 'accepted' && <p>It was in block {groupDigits(tx.tx.blockHeight)}, which a revert removed.</p>}
      {hex !== undefined && (
        <button type="button" onClick={() => void send()}>
          Send its bytes again
        </button>
      )}
      {error !== '' && <p>{error}</p>}
    </section>
  );
}
