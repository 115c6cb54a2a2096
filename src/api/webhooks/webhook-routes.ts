import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { formatUuid } from '../../base/bytes/uuid.ts';
import { assets } from '../contract/schema.ts';
import { webhookRows } from '../contract/webhook-routes.ts';
import { webhookLimits } from '../contract/webhook-schemas.ts';
import { readAddresses } from '../rest/addresses.ts';
import { type ApiError, apiError, invalidParams, notFound, quoteValue } from '../rest/api-error.ts';
import { findChain, unknownChain } from '../rest/chain-name.ts';
import type { ParamContext } from '../rest/param.ts';
import { compileParam } from '../rest/params.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { WebhookError } from './fault.ts';
import { parseTarget, policyForOwner, type TargetPolicy } from './target-policy.ts';
import type { Webhook, WebhookFilter } from './webhook.ts';
import type { StoredAttempt, StoredWebhook, WebhookStore } from './webhook-store.ts';

/** What the routes of webhooks work with. */
export type WebhookDeps = {
  readonly store: () => Promise<WebhookStore>;
  readonly served: ServedChains;
  /** Reads addresses, and assets by their aliases. */
  readonly context: ParamContext;
  readonly formatAddress: (chainID: Id) => (address: Address) => string;
  readonly policy: TargetPolicy;
  /** ID of the last event: a new webhook gets those after it. */
  readonly position: () => Promise<string>;
  readonly random: (count: number) => Uint8Array;
  /** Unix seconds. */
  readonly now: () => number;
  /** Called when a webhook was changed, for a deliverer in this process. */
  readonly onChanged: () => void;
};

export const webhookRoutes = implementRoutes<WebhookDeps>()(webhookRows, {
  createWebhook: async (deps, values, { keyID }) => {
    const { url, eventType, metadata, name = '', description = '' } = values;
    checkUrl(url, deps.policy, keyID);
    const expected = eventType === 'asset_activity' ? 'assets' : 'addresses';
    if (metadata.keyType !== expected) throw invalidParams([`metadata.keyType must be ${expected} for ${eventType}`]);
    checkNetwork(deps.served, values.network);
    const chain = requireChain(deps.served, values.chainId);
    const filter = readKeys(metadata.keyType, metadata.keys, 'metadata.keys', deps.context);
    const webhook: Omit<Webhook, 'number' | 'revision'> = {
      ...{ url, name, description, filter },
      id: formatUuid(toHex(deps.random(16)), 4),
      chainID: chain.id,
      owner: keyID,
      created: deps.now(),
      secret: readSecret(values.secret) ?? createSecret(deps),
      isActive: true,
      inactiveReason: undefined,
    };
    const store = await deps.store();
    const { hooks, hooksOfKeys, hooksOfKey } = webhookLimits;
    if (!(await store.add(webhook, await deps.position(), { max: hooks, maxOfKeys: hooksOfKeys, maxOfKey: hooksOfKey })))
      throw apiError(
        403,
        `This server has at most ${hooks} webhooks, ${hooksOfKeys} of them of API keys and ${hooksOfKey} of one; delete one first`,
      );
    deps.onChanged();
    return { ...describeWebhook(deps, await requireWebhook(store, webhook.id, keyID)), secret: webhook.secret };
  },
  listWebhooks: async (deps, { pageSize, status }, { paging, keyID }) => {
    const store = await deps.store();
    const isActive = status === undefined ? undefined : status === 'active';
    const found = await store.list(paging.cursor?.after ?? 0, pageSize + 1, { isActive, owner: keyID });
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    return {
      nextPageToken: found.length > page.length && last ? paging.nextPageToken({ height: 0, after: last.webhook.number }) : undefined,
      webhooks: page.map((stored) => describeWebhook(deps, stored)),
    };
  },
  getWebhook: async (deps, { id }, { keyID }) => describeWebhook(deps, await requireWebhook(await deps.store(), id, keyID)),
  updateWebhook: async (deps, { id, url, name, description, status }, { keyID }) => {
    const store = await deps.store();
    const { webhook: found } = await requireWebhook(store, id, keyID);
    if (url !== undefined) checkUrl(url, deps.policy, found.owner);
    if (status === 'active') await store.forgetFailures(found.id);
    return changeWebhook(deps, id, keyID, (webhook) => ({
      ...webhook,
      url: url ?? webhook.url,
      name: name ?? webhook.name,
      description: description ?? webhook.description,
      isActive: status === undefined ? webhook.isActive : status === 'active',
      inactiveReason: status === undefined ? webhook.inactiveReason : undefined,
    }));
  },
  deactivateWebhook: async (deps, { id }, { keyID }) => {
    const store = await deps.store();
    const found = await requireWebhook(store, id, keyID);
    await store.remove(found.webhook.id);
    deps.onChanged();
    return describeWebhook(deps, { ...found, webhook: { ...found.webhook, isActive: false } });
  },
  rotateWebhookSecret: async (deps, { id }, { keyID }) => {
    const secret = createSecret(deps);
    await changeWebhook(deps, id, keyID, (webhook) => ({ ...webhook, secret }));
    return { secret };
  },
  listWebhookAttempts: async (deps, { id }, { keyID }) => {
    const store = await deps.store();
    const { webhook } = await requireWebhook(store, id, keyID);
    return { attempts: (await store.attempts(webhook.id)).map(describeAttempt) };
  },
  repeatWebhookAttempt: async (deps, { id, number }, { keyID }) => {
    const store = await deps.store();
    const { webhook } = await requireWebhook(store, id, keyID);
    const found = (await store.attempts(webhook.id)).find((attempt) => attempt.number === number);
    if (found?.body === undefined) throw notFound(`Attempt ${number} of this webhook is not kept any more, or its body is not`);
    await store.wantAgain(webhook.id, number);
    deps.onChanged();
    return describeAttempt(found);
  },
  addAddressesToWebhook: (deps, { id, addresses }, { keyID }) =>
    changeWebhook(deps, id, keyID, (webhook) => changeKeys(webhook, addresses, deps, (old, given) => [...new Set([...old, ...given])])),
  removeAddressesFromWebhook: (deps, { id, addresses }, { keyID }) =>
    changeWebhook(deps, id, keyID, (webhook) =>
      changeKeys(webhook, addresses, deps, (old, given) => old.filter((key) => !given.includes(key))),
    ),
  getAddressesFromWebhook: async (deps, { id, pageSize }, { paging, keyID }) => {
    const stored = await requireWebhook(await deps.store(), id, keyID);
    requireAddresses(stored.webhook);
    const { keys } = describeWebhook(deps, stored).metadata;
    const from = paging.cursor?.after ?? 0;
    const end = from + pageSize;
    return {
      addresses: keys.slice(from, end),
      totalAddresses: keys.length,
      nextPageToken: end < keys.length ? paging.nextPageToken({ height: 0, after: end }) : undefined,
    };
  },
});

/** Finds a webhook of a key, or for the operator any. Those of others do not exist for a key. */
async function requireWebhook(store: WebhookStore, id: string, keyID: string | undefined): Promise<StoredWebhook> {
  const found = await store.find(id.toLowerCase());
  if (found === undefined || (keyID !== undefined && found.webhook.owner !== keyID)) throw unknownWebhook(id);
  return found;
}

const unknownWebhook = (id: string): ApiError => notFound(`There is no webhook ${quoteValue(id)}`);

async function changeWebhook(deps: WebhookDeps, id: string, keyID: string | undefined, change: (webhook: Webhook) => Webhook) {
  const store = await deps.store();
  const { webhook } = await requireWebhook(store, id, keyID);
  if ((await store.update(webhook.id, change)) === undefined) throw unknownWebhook(id);
  deps.onChanged();
  return describeWebhook(deps, await requireWebhook(store, id, keyID));
}

function changeKeys(
  webhook: Webhook,
  texts: readonly string[],
  { context }: WebhookDeps,
  combine: (old: readonly string[], given: readonly string[]) => readonly string[],
): Webhook {
  const filter = requireAddresses(webhook);
  const given = readKeys('addresses', texts, 'addresses', context);
  const keys = combine(filter.keys, given.keys) as typeof filter.keys;
  if (keys.length > webhookLimits.keys) throw invalidParams([`a webhook has at most ${webhookLimits.keys} addresses`]);
  if (keys.length === 0) throw invalidParams(['a webhook has at least one address; delete the webhook instead']);
  return { ...webhook, filter: { keyType: 'addresses', keys } };
}

function requireAddresses({ filter }: Webhook): Extract<WebhookFilter, { keyType: 'addresses' }> {
  if (filter.keyType === 'addresses') return filter;
  throw invalidParams(['this webhook is for assets and has no addresses']);
}

function checkUrl(url: string, policy: TargetPolicy, owner: string | undefined): void {
  try {
    parseTarget(url, policyForOwner(policy, owner));
  } catch (error) {
    throw error instanceof WebhookError ? invalidParams([error.message]) : error;
  }
}

function checkNetwork({ network }: ServedChains, name: string | undefined): void {
  if (name === undefined || network.names.includes(name) || network.alias?.names.includes(name)) return;
  throw invalidParams([`network must be ${network.names.join(' or ')}, not ${quoteValue(name)}`]);
}

function requireChain(served: ServedChains, name: string | undefined): ServedChain {
  if (name === undefined) return served.chains[0];
  const found = findChain(served, name);
  if (found === undefined) throw unknownChain(served, name, `Unknown blockchain ${quoteValue(name)}`);
  return found;
}

const assetsParam = compileParam(assets(webhookLimits.keys, ''));

function readKeys(keyType: WebhookFilter['keyType'], texts: readonly string[], name: string, context: ParamContext): WebhookFilter {
  if (texts.length === 0) throw invalidParams([`${name} must not be empty`]);
  const text = texts.join(',');
  if (keyType === 'addresses') return { keyType, keys: readAddresses(text, name, webhookLimits.keys, context).owners };
  return { keyType, keys: [...new Set(assetsParam.read([text], name, context) as readonly Id[])] };
}

function readSecret(text: string | undefined): string | undefined {
  const { minSecret, maxSecret } = webhookLimits;
  if (text === undefined || (/^[\x21-\x7e]*$/.test(text) && text.length >= minSecret && text.length <= maxSecret)) return text;
  throw invalidParams([`secret must have ${minSecret} to ${maxSecret} visible ASCII characters`]);
}

const createSecret = ({ random }: WebhookDeps): string => toHex(random(32));

/** A webhook as responses show it: without its secret. */
function describeWebhook({ formatAddress }: Pick<WebhookDeps, 'formatAddress'>, { webhook, state }: StoredWebhook) {
  const { failedAttempts, position, delivered, ...times } = state;
  return {
    id: webhook.id,
    url: webhook.url,
    chainId: idText(webhook.chainID),
    status: webhook.isActive ? ('active' as const) : ('inactive' as const),
    createdAt: webhook.created,
    apiKeyId: webhook.owner,
    name: webhook.name,
    description: webhook.description,
    ...describeFilter(webhook, formatAddress),
    delivery: { position, delivered, failedAttempts, ...times, inactiveReason: webhook.inactiveReason },
  };
}

const describeAttempt = ({ messageID, ...attempt }: StoredAttempt) => ({ messageId: messageID, ...attempt });

/** Which events a webhook gets, in the words of AvaCloud. */
function describeFilter({ filter, chainID }: Webhook, formatAddress: WebhookDeps['formatAddress']) {
  if (filter.keyType === 'assets')
    return {
      eventType: 'asset_activity' as const,
      metadata: { keyType: filter.keyType, keys: filter.keys.map(idText), subEvents: undefined },
    };
  return {
    eventType: 'primary_network_address_activity' as const,
    metadata: {
      keyType: filter.keyType,
      keys: filter.keys.map(formatAddress(chainID)),
      subEvents: { addressActivitySubEvents: ['balance_change'] as const },
    },
  };
}
