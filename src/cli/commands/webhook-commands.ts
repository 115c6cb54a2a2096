import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { JsonOf } from '../../api/contract/views.ts';
import { webhookRows } from '../../api/contract/webhook-routes.ts';
import { readApiMessage } from '../../api/rest/api-error.ts';
import type { ClientCommand, ClientContext } from './client-command.ts';
import { parseAnswer } from './data-client.ts';
import { badArgument } from './fault.ts';
import { requireAddress } from './named-address.ts';
import { formatTable, formatTime } from './table.ts';

type Rows = typeof webhookRows;
type Answer<N extends keyof Rows> = JsonOf<Rows[N]['response']>;
type Webhook = Answer<'getWebhook'>;

/** Calls a route of webhooks. Throws with the message of the server unless it succeeds. */
async function call<N extends keyof Rows>(client: RpcClient, name: N, id = '', body?: object, query = ''): Promise<Answer<N>> {
  const { method, path } = webhookRows[name];
  const response = await client.request(path.replace('{id}', encodeURIComponent(id)) + query, {
    method,
    body: body && JSON.stringify(body),
    headers: body && { 'content-type': 'application/json' },
  });
  const text = await client.readText(response);
  if (response.ok) return parseAnswer(text, client.url) as Answer<N>;
  const fault = { code: 'NODE_HTTP', url: client.url, status: response.status } as const;
  throw new SeracError(`${client.url}: ${readApiMessage(text) ?? `status ${response.status}`}`, fault);
}

/** A command that prints what a route answers: as JSON with `--json`, otherwise as lines. */
const command =
  <T>(run: (context: ClientContext) => Promise<T>, format: (answer: T) => readonly string[]): ClientCommand =>
  async (context) => {
    const answer = await run(context);
    if (context.options.json) context.print(JSON.stringify(answer));
    else for (const line of format(answer)) context.print(line);
    return undefined;
  };

async function listAll(client: RpcClient): Promise<Webhook[]> {
  const all: Webhook[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Answer<'listWebhooks'> = await call(
      client,
      'listWebhooks',
      '',
      undefined,
      `?pageSize=100${token && `&pageToken=${token}`}`,
    );
    all.push(...page.webhooks);
    token = page.nextPageToken;
  }
  return all;
}

/** `active`, `failing: …`, `inactive: …`. */
function stateText({ status, delivery }: Webhook): string {
  if (status === 'inactive') return delivery.inactiveReason === undefined ? status : `${status}: ${delivery.inactiveReason}`;
  if (delivery.failedAttempts > 0) return `failing since ${formatTime(delivery.failingSince ?? 0)}: ${delivery.lastError}`;
  return status;
}

const keysText = ({ metadata: { keys } }: Webhook): string =>
  keys.length > 3 ? `${keys.slice(0, 3).join(', ')} and ${keys.length - 3} more` : keys.join(', ');

const describe = (webhook: Webhook): string[] => {
  const { delivery } = webhook;
  return [
    `id         ${webhook.id}`,
    `url        ${webhook.url}`,
    `for        ${keysText(webhook)}`,
    `state      ${stateText(webhook)}`,
    `delivered  ${delivery.delivered}${delivery.deliveredAt === undefined ? '' : `, the last at ${formatTime(delivery.deliveredAt)}`}`,
    ...(delivery.gap === undefined
      ? []
      : [`lost       events after ${delivery.gap.after} at ${formatTime(delivery.gap.time)}: ${delivery.gap.reason}`]),
  ];
};

/** A row of 80 columns for each webhook, and its URL and name below it. The reason of a failure is in `webhooks show`. */
function listLines(webhooks: readonly Webhook[]): string[] {
  const [head = '', ...rows] = formatTable(
    ['ID', 'Delivered', 'State'],
    webhooks.map(({ id, status, delivery }) => [
      id,
      String(delivery.delivered),
      status === 'active' && delivery.failedAttempts > 0 ? 'failing' : status,
    ]),
    new Set([1]),
  );
  const below = webhooks.map(({ url, name }) => `  ${url}${name ? `  ${name}` : ''}`);
  return [head, ...rows.flatMap((row, at) => [row, below[at] as string])];
}

const setStatus = (status: Webhook['status']): ClientCommand =>
  command(({ client, args: [id = ''] }) => call(client, 'updateWebhook', id, { status }), describe);

/** Commands that manage webhooks. */
export const webhookCommands = {
  'webhooks create': command(
    async ({ client, args: [url = '', addresses], options: { asset, name } }) => {
      if ((addresses === undefined) === (asset === undefined))
        throw badArgument(
          addresses ?? '',
          'give addresses, separated by commas, or --asset; usage: serac webhooks create URL [ADDRESSES] [--asset ASSET]',
        );
      const isForAsset = addresses === undefined;
      const keys = isForAsset
        ? (asset ?? '').split(',')
        : await Promise.all(addresses.split(',').map((address) => requireAddress(client, address.trim())));
      return call(client, 'createWebhook', '', {
        ...{ url, name },
        eventType: isForAsset ? 'asset_activity' : 'primary_network_address_activity',
        metadata: { keyType: isForAsset ? 'assets' : 'addresses', keys },
      });
    },
    (created) => [...describe(created), '', 'Requests are signed with this secret. It will not be shown again:', '', `  ${created.secret}`],
  ),
  'webhooks list': command(
    ({ client }) => listAll(client),
    (webhooks) => (webhooks.length === 0 ? ['no webhooks; serac webhooks create URL ADDRESSES makes one'] : listLines(webhooks)),
  ),
  'webhooks show': command(({ client, args: [id = ''] }) => call(client, 'getWebhook', id), describe),
  'webhooks enable': setStatus('active'),
  'webhooks disable': setStatus('inactive'),
  'webhooks secret': command(
    ({ client, args: [id = ''] }) => call(client, 'rotateWebhookSecret', id),
    ({ secret }) => ['The new secret. It will not be shown again:', '', `  ${secret}`],
  ),
  'webhooks delete': command(
    ({ client, args: [id = ''] }) => call(client, 'deactivateWebhook', id),
    ({ id }) => [`webhook ${id} deleted`],
  ),
};
