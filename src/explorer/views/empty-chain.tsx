import { curlText } from '../text/curl-text.ts';
import { useDevCall } from './actions.ts';
import { Empty } from './parts.tsx';

/** A chain without blocks. On a dev chain a button makes the first one: a transfer of account 0 to itself. */
export function EmptyChain({ origin, isDev }: { origin: string; isDev: boolean }) {
  const { run, note, isBusy } = useDevCall();
  const curl = curlText({
    method: 'POST',
    url: `${origin}/ext/dev`,
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"dev.mine"}',
  });
  return (
    <section class="panel">
      <Empty title="No blocks yet">
        <p>The first transaction makes the first block.</p>
        {isDev && (
          <p class="empty-buttons with-script">
            <button type="button" class="primary" disabled={isBusy} onClick={() => void run('dev.mine', {}, () => '')}>
              Make the first block
            </button>
            <button type="button" data-copy={curl}>
              Copy curl
            </button>
          </p>
        )}
        {note?.isError && <p class="bad-text">{note.text}</p>}
      </Empty>
    </section>
  );
}
