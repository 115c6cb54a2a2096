import { GoneNote } from './gone-note.tsx';
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
