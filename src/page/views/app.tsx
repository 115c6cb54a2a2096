import type { PagePayload } from '../page-payload.ts';
import { Layout } from './layout.tsx';
import { viewOf } from './views.tsx';

/** A whole page: the same on the server and in the browser. */
export function App({ payload }: { payload: PagePayload }) {
  const View = viewOf(payload.view);
  return (
    <Layout frame={payload}>
      <View data={payload.data} context={payload.context} now={payload.now} origin={payload.origin} />
    </Layout>
  );
}
