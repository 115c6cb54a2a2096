import { SeracError } from '../../api/client/fault.ts';

/** What the data of a JSON-RPC error may tell beside its message. */
type ErrorData = {
  readonly code?: string;
  readonly argument?: string;
  readonly expected?: string;
  readonly didYouMean?: string;
  readonly replacedBy?: string;
  readonly path?: string;
  readonly hint?: string;
  readonly spentBy?: string;
  readonly unknownParams?: readonly { readonly name: string }[];
};

/** Adds to the message of a failed call what the error's data tells, in words, and what to do. Other errors are returned as they are. */
export function explainError(error: unknown): unknown {
  if (!(error instanceof SeracError)) return error;
  const hints = listHints(error);
  return hints.length === 0 ? error : new SeracError([error.message, ...hints].join('\n       '), error.fault);
}

function listHints({ fault, message }: SeracError): string[] {
  if (fault.code === 'NODE_HTTP') return isDevPath(fault.url) ? (devRemedies[fault.status] ?? []) : [];
  if (fault.code !== 'RPC_ERROR' || typeof fault.data !== 'object' || fault.data === null) return [];
  const data = fault.data as ErrorData;
  const hints = [
    data.code === 'RPC_BAD_ARGUMENT' && data.argument && `${data.argument} must be ${data.expected || 'of another type'}`,
    data.unknownParams && `the node does not know the parameters ${data.unknownParams.map(({ name }) => name).join(', ')}`,
    data.didYouMean && `did you mean ${data.didYouMean}?`,
    data.replacedBy && `use ${data.replacedBy}`,
    data.path && `it is served at ${data.path}`,
    data.spentBy && !message.includes(data.spentBy) && `it was spent by the transaction ${data.spentBy}`,
    data.hint,
  ];
  return hints.filter((hint): hint is string => typeof hint === 'string' && hint !== '');
}

const isDevPath = (url: string): boolean => url.includes('/ext/dev');

/** Why the developer's methods are refused, by HTTP status. */
const devRemedies: { readonly [status: number]: string[] } = {
  403: [
    "give the node's token with --dev-token TOKEN or SERAC_DEV_TOKEN; without a",
    'token only programs on the same machine are allowed',
  ],
  404: [
    'this node has no dev methods: it is AvalancheGo, it follows a node, it runs',
    'with --public-api, or it listens on all addresses without --dev-token',
  ],
};
