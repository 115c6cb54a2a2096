import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { WebhooksData } from '../load/load-webhooks.ts';
import type { PageContext, ViewProps } from '../load/page-context.ts';
import { groupDigits, shortId } from '../text/text-format.ts';
import { type CallNote, useActions } from './actions.ts';
import { FieldForm, FormNote } from './form.tsx';
import { AddressLink, Chip, CopyButton, PageHead, Panel, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';
import { TimeText } from './time-text.tsx';
import { AttemptsPanel } from './webhook-attempts.tsx';

type Webhook = WebhooksData['webhooks'][number];
type Send = (method: string, path: string, body: object | undefined, done: (answer: Answer) => string) => Promise<void>;
type Answer = { readonly secret?: string };

export function WebhooksView({ data: { webhooks, opened }, context }: ViewProps<WebhooksData>) {
  const { send, note, secret, isBusy } = useWebhookCalls();
  return (
    <>
      <PageHead title="Webhooks" line={<>signed requests to a URL for every transaction of addresses, or of an asset</>} />
      <noscript>
        <p class="panel message">The buttons of this page need JavaScript; the routes under /v1/webhooks and serac webhooks do the same.</p>
      </noscript>
      <NewWebhook send={send} isBusy={isBusy} feeSymbol={context.chain.feeSymbol}>
        <FormNote note={note} />
        {secret !== undefined && (
          <p class="form-note" role="status">
            Secret of its signatures, shown only now: <code class="mono break">{secret}</code>{' '}
            <CopyButton text={secret} what="the secret" />
          </p>
        )}
      </NewWebhook>
      <Panel title="All webhooks" weight="answer" side={<span>{groupDigits(webhooks.length)}</span>}>
        {webhooks.length > 0 && (
          <Scroll>
            <table>
              <TableHead columns={['URL', 'For', 'State', { number: 'Delivered' }, { number: 'Actions' }]} />
              <tbody>
                {webhooks.map((webhook) => (
                  <WebhookRow key={webhook.id} {...{ webhook, context, send, isBusy }} />
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
        {webhooks.length === 0 && <p class="table-foot">None yet. Deliveries begin with the next accepted transaction.</p>}
      </Panel>
      {opened !== undefined && (
        <AttemptsPanel
          name={webhookName(webhooks.find(({ id }) => id === opened.id))}
          attempts={opened.attempts}
          isBusy={isBusy}
          sendAgain={(number) =>
            void send(
              'POST',
              `/${opened.id}/attempts/${number}`,
              undefined,
              () => 'It is sent again in about a second, with the same messageId.',
            )
          }
        />
      )}
    </>
  );
}

type NewWebhookProps = { readonly send: Send; readonly isBusy: boolean; readonly feeSymbol: string; readonly children: ComponentChildren };

function NewWebhook({ send, isBusy, feeSymbol, children }: NewWebhookProps) {
  return (
    <Panel title="New webhook">
      <FieldForm
        button="Create"
        isPrimary
        isBusy={isBusy}
        onSubmit={(form, element) => {
          const keys = String(form.get('keys'))
            .split(/[\s,]+/)
            .filter((key) => key !== '');
          // An address contains a dash or a 1 after its prefix, as X-local1… and local1…; IDs of assets and their aliases do not.
          const isForAssets = keys.every((key) => !/^([XPC]-)?[a-z]+1[a-z0-9]+$/.test(key));
          const body = {
            url: form.get('url'),
            name: form.get('name'),
            eventType: isForAssets ? 'asset_activity' : 'primary_network_address_activity',
            metadata: { keyType: isForAssets ? 'assets' : 'addresses', keys },
          };
          void send('POST', '', body, () => {
            element.reset();
            return 'Created';
          });
        }}
      >
        <label class="grow">
          URL <input name="url" type="url" class="mono" required placeholder="https://example.org/hook" maxLength={2048} />
        </label>
        <label class="grow">
          Addresses, or assets <input name="keys" class="mono" required placeholder={`X-…, X-… or ${feeSymbol}`} />
        </label>
        <label>
          Name <input name="name" maxLength={100} size={10} />
        </label>
      </FieldForm>
      {children}
    </Panel>
  );
}

const webhookName = (webhook: Webhook | undefined): string => webhook?.name || webhook?.url || '';

/** Keys that a row shows. */
const shownKeys = 3;

function WebhookRow({ webhook, context, send, isBusy }: { webhook: Webhook; context: PageContext; send: Send; isBusy: boolean }) {
  const { id, url, name, status, metadata, delivery } = webhook;
  const label = name === '' ? shortId(id) : name;
  const isActive = status === 'active';
  return (
    <tr>
      <td>
        {name !== '' && <b>{name} </b>}
        <span class="mono break">{url}</span>
      </td>
      <td>
        {metadata.keys.slice(0, shownKeys).map((key) => (
          <div>
            {metadata.keyType === 'addresses' ? (
              <AddressLink address={key} context={context} />
            ) : (
              <a class="mono" href={`/asset/${key}`} title={key}>
                {shortId(key)}
              </a>
            )}
          </div>
        ))}
        {metadata.keys.length > shownKeys && <span class="quiet">and {groupDigits(metadata.keys.length - shownKeys)} more</span>}
      </td>
      <td class="reason">
        <WebhookState {...{ status, delivery }} />
      </td>
      <td class="number" data-name="Delivered">
        <a href={`/webhooks?webhook=${id}`} aria-label={`${groupDigits(delivery.delivered)}, last attempts of ${label}`}>
          {groupDigits(delivery.delivered)}
        </a>
        {delivery.deliveredAt !== undefined && (
          <div class="quiet">
            <TimeText time={delivery.deliveredAt} />
          </div>
        )}
      </td>
      <td class="number line-2-end">
        <button
          type="button"
          class="link"
          disabled={isBusy}
          aria-label={`Delete ${label}`}
          onClick={() => void send('DELETE', `/${id}`, undefined, () => `Deleted ${label}`)}
        >
          Delete
        </button>{' '}
        <button
          type="button"
          class="link"
          disabled={isBusy}
          aria-label={`New secret for ${label}`}
          onClick={() => void send('POST', `/${id}/secret`, undefined, () => `New secret for ${label}`)}
        >
          New secret
        </button>{' '}
        <button
          type="button"
          disabled={isBusy}
          aria-label={`${isActive ? 'Stop' : 'Start'} ${label}`}
          onClick={() =>
            void send('PATCH', `/${id}`, { status: isActive ? 'inactive' : 'active' }, () => `${isActive ? 'Stopped' : 'Started'} ${label}`)
          }
        >
          {isActive ? 'Stop' : 'Start'}
        </button>
      </td>
    </tr>
  );
}

const WebhookState = ({ status, delivery }: Pick<Webhook, 'status' | 'delivery'>) => (
  <>
    {status === 'inactive' ? (
      <Chip tone="plain">inactive</Chip>
    ) : (
      <Chip tone={delivery.failedAttempts > 0 ? 'bad' : 'ok'}>{delivery.failedAttempts > 0 ? 'failing' : 'active'}</Chip>
    )}
    {status === 'active' && delivery.failingSince !== undefined && (
      <div class="quiet">
        since <TimeText time={delivery.failingSince} />, {groupDigits(delivery.failedAttempts)} attempts
      </div>
    )}
    {(delivery.inactiveReason ?? delivery.lastError) !== undefined && (
      <div class="quiet">{delivery.inactiveReason ?? delivery.lastError}</div>
    )}
    {delivery.gap !== undefined && (
      <div class="quiet">
        lost events at <TimeText time={delivery.gap.time} />: {delivery.gap.reason}
      </div>
    )}
  </>
);

/** Calls the routes of webhooks one at a time, then loads the page again. */
function useWebhookCalls() {
  const actions = useActions();
  const [note, setNote] = useState<CallNote | undefined>(undefined);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const send: Send = async (method, path, body, done) => {
    if (actions === undefined || isBusy) return;
    setBusy(true);
    try {
      const { result, error } = await actions.webhook<Answer>(method, path, body);
      setNote(error === undefined ? { text: done(result ?? {}), isError: false } : { text: error.message, isError: true });
      setSecret(result?.secret);
      if (error === undefined) await actions.reload();
    } finally {
      setBusy(false);
    }
  };
  return { send, note, secret, isBusy };
}
