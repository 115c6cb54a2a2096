import { route } from './route.ts';
import { pageParams, pageSize, pageToken } from './route-params.ts';
import { integer, list, object, oneOf, optional, text, uuid } from './schema.ts';
import {
  bodyKeys,
  CreatedWebhookSchema,
  newWebhookParams,
  WebhookSchema,
  webhookChangeParams,
  webhookLimits,
  webhookStatuses,
} from './webhook-schemas.ts';

const id = uuid('The webhook.');
const nextPageToken = optional(text('Absent on the last page.'));
const keyPath = '/v1/webhooks/{id}/addresses';

/** Rows that manage webhooks, with AvaCloud's paths and names where it has them. Their handlers are in `webhooks`. */
export const webhookRows = {
  createWebhook: route({
    method: 'POST',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'Creates a webhook; deliveries begin with the next accepted transaction',
    params: newWebhookParams,
    response: CreatedWebhookSchema,
    status: 201,
    cachePolicy: 'never',
    isOperator: true,
  }),
  listWebhooks: route({
    method: 'GET',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'Webhooks, oldest first',
    params: { ...pageParams, status: optional(oneOf(webhookStatuses, 'Only these.')) },
    response: object('ListWebhooksResponse', { nextPageToken, webhooks: list(WebhookSchema) }),
    cachePolicy: 'never',
    isOperator: true,
  }),
  getWebhook: route({
    method: 'GET',
    path: '/v1/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'A webhook and the state of its deliveries',
    params: { id },
    response: WebhookSchema,
    cachePolicy: 'never',
    isOperator: true,
  }),
  updateWebhook: route({
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Changes a webhook, stops it or starts it again',
    params: { id, ...webhookChangeParams },
    response: WebhookSchema,
    cachePolicy: 'never',
    isOperator: true,
  }),
  deactivateWebhook: route({
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Deletes a webhook; returns it as it was, inactive',
    params: { id },
    response: WebhookSchema,
    cachePolicy: 'never',
    isOperator: true,
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/v1/webhooks/{id}/secret',
    tag: 'Webhooks',
    summary:
      'Gives a webhook a new random secret; about a second after the answer requests are signed with it, until then a receiver accepts both',
    params: { id },
    response: object('WebhookSecret', { secret: text() }),
    cachePolicy: 'never',
    isOperator: true,
  }),
  addAddressesToWebhook: route({
    method: 'PATCH',
    path: keyPath,
    tag: 'Webhooks',
    summary: `Adds addresses to a webhook, up to ${webhookLimits.keys} in all`,
    params: { id, addresses: bodyKeys },
    response: WebhookSchema,
    cachePolicy: 'never',
    isOperator: true,
  }),
  removeAddressesFromWebhook: route({
    method: 'DELETE',
    path: keyPath,
    tag: 'Webhooks',
    summary: 'Removes addresses from a webhook; one at least stays',
    params: { id, addresses: bodyKeys },
    response: WebhookSchema,
    cachePolicy: 'never',
    isOperator: true,
  }),
  getAddressesFromWebhook: route({
    method: 'GET',
    path: keyPath,
    tag: 'Webhooks',
    summary: 'Addresses of a webhook',
    params: { id, pageToken, pageSize: pageSize(10, 100) },
    response: object('ListWebhookAddressesResponse', {
      addresses: list(text()),
      totalAddresses: integer(),
      nextPageToken,
    }),
    cachePolicy: 'never',
    isOperator: true,
  }),
};
