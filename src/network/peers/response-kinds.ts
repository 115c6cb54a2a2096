import type { MessageKind } from '../messages/message.ts';
import type { RequestMessage } from '../protocol/transport.ts';

/** The kind of response that each request gets. */
export const responseKinds = {
  getStateSummaryFrontier: 'stateSummaryFrontier',
  getAcceptedStateSummary: 'acceptedStateSummary',
  getAcceptedFrontier: 'acceptedFrontier',
  getAccepted: 'accepted',
  getAncestors: 'ancestors',
  get: 'put',
  pushQuery: 'chits',
  pullQuery: 'chits',
  appRequest: 'appResponse',
} as const satisfies Record<RequestMessage['kind'], MessageKind>;

export type ResponseKind = (typeof responseKinds)[keyof typeof responseKinds];

const kinds: ReadonlySet<string> = new Set(Object.values(responseKinds));

export const isResponseKind = (kind: string): kind is ResponseKind => kinds.has(kind);
