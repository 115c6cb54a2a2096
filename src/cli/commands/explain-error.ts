import { SeracError } from '../../api/client/fault.ts';
import { clientServices } from '../../api/contract/client-services.ts';
import { secretFlags } from '../../app/config/flag-table.ts';
import { cleanText } from '../../base/bytes/printable.ts';
import type { ClientContext } from './client-command.ts';

/** What the data of a JSON-RPC error may tell beside its message. */
type ErrorData = {
  readonly code?: string;
  readonly argument?: string;
  readonly account?: number;
  readonly address?: string;
  readonly expected?: string;
  readonly didYouMean?: string;
  readonly replacedBy?: string;
  readonly path?: string;
  readonly hint?: string;
  readonly spentBy?: string;
  readonly unknownParams?: readonly { readonly name: string }[];
};

/**
 * The error of a command: the message of the node with commands in place of methods, and what the error's data tells, in words. Other errors
 * are returned as they are.
 */
export function explainError(error: unknown, typed?: TypedCommand): unknown {
  if (!(error instanceof SeracError)) return error;
  const message = cleanText(error.fault.code === 'RPC_ERROR' ? nameCommands(error.message.slice(0, maxMessage)) : error.message);
  const hints = [...listHints(error), ...correctCommand(error, typed)].map((hint) => cleanText(nameCommands(hint.slice(0, maxMessage))));
  return new SeracError([message, ...hints].join('\n       '), error.fault);
}

/** A command as it was typed. */
type TypedCommand = Pick<ClientContext, 'args' | 'given'> & { readonly name: string };

/** The typed command with the right address in place of the wrong one, if the error tells it. */
function correctCommand({ fault }: SeracError, typed: TypedCommand | undefined): string[] {
  if (typed === undefined || fault.code !== 'RPC_ERROR' || typeof fault.data !== 'object' || fault.data === null) return [];
  const { address, expected } = fault.data as ErrorData;
  if (address === undefined || expected === undefined) return [];
  const correct = (text: string): string => (text === address ? expected : text);
  const flags = [...typed.given].filter(([flag, { source }]) => source.startsWith('--') && !secretFlags.has(flag));
  const words = [...typed.args.map(correct), ...flags.flatMap(([flag, { texts }]) => texts.map((text) => `--${flag}=${correct(text)}`))];
  const isCorrected = words.some((word) => word.endsWith(expected));
  return isCorrected ? [`this works: serac ${typed.name} ${words.map(quoteWord).join(' ')}`] : [];
}

/** A word of a command line, in quotes if a shell would change it. */
const quoteWord = (word: string): string => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Characters of a node's message that are shown. */
const maxMessage = 2000;

/** The commands that do what methods do, which the messages of a node name. */
const commandOfMethod: { readonly [method: string]: string } = {
  'dev.accounts': 'serac accounts',
  'dev.labels': 'serac label',
  'dev.listSnapshots': 'serac snapshot list',
  'dev.snapshot': 'serac snapshot save',
  'dev.mine': 'serac mine',
  'dev.atomicDeposit': 'serac deposit',
  'dev.import': 'serac import',
  'dev.reset': 'serac reset',
  'dev.mint': 'serac asset mint',
  'dev.mintNFT': 'serac nft mint',
  'dev.sendNFT': 'serac nft send',
  'dev.createAsset': 'serac asset create',
  'dev.createNFT': 'serac nft create',
  'avm.getUTXOs': 'serac address ADDRESS',
};

/** Replaces the names of methods in a message; a method without a command of its own can be called with `serac rpc`. Other names stay. */
const nameCommands = (text: string): string =>
  text
    .replace(/\b(?:dev|avm)\.[a-z]\w*/gi, (name) => commandOfMethod[name] ?? (isMethod(name) ? `serac rpc ${name}` : name))
    .replace(' (mintable)', ' --mintable');

const isMethod = (name: string): boolean => {
  const [service, method] = name.split('.') as ['dev' | 'avm', string];
  return Object.hasOwn(clientServices[service]?.methods ?? {}, method);
};

/** What the data or the status of an error tells beside its message. */
export function listHints({ fault, message }: SeracError): string[] {
  if (fault.code === 'NODE_HTTP') return (isDevPath(fault.url) ? devRemedies : remedies)[fault.status] ?? [];
  if (fault.code !== 'RPC_ERROR' || typeof fault.data !== 'object' || fault.data === null) return [];
  const data = fault.data as ErrorData;
  const hints = [
    data.code === 'DEV_INSUFFICIENT_FUNDS' &&
      `serac balance ${data.account ?? data.address} lists all that it has, also what is locked or has other owners`,
    data.code === 'RPC_BAD_ARGUMENT' && data.argument && `${data.argument} must be ${data.expected || 'of another type'}`,
    data.address && data.expected && !message.includes(data.expected) && `did you mean ${data.expected}?`,
    data.unknownParams && `the node does not know the parameters ${data.unknownParams.map(({ name }) => name).join(', ')}`,
    data.didYouMean && `did you mean ${data.didYouMean}?`,
    data.replacedBy && `instead: ${data.replacedBy}`,
    data.path && `it is served at ${data.path}`,
    data.spentBy && !message.includes(data.spentBy) && `it was spent by the transaction ${data.spentBy}`,
    data.hint,
  ];
  return hints.filter((hint): hint is string => typeof hint === 'string' && hint !== '');
}

const isDevPath = (url: string): boolean => url.includes('/ext/dev');

/** What to do about an HTTP status. */
type Remedies = { readonly [status: number]: string[] };

const remedies: Remedies = { 401: ['give an API key of the server with --api-key KEY or SERAC_API_KEY'] };

/** Why the developer's methods are refused. */
const devRemedies: Remedies = {
  403: [
    "give the node's token with --dev-token TOKEN or SERAC_DEV_TOKEN; without a",
    'token only programs on the same machine are allowed',
  ],
  404: [
    'this node has no dev methods: it is AvalancheGo, it follows a node, it runs',
    'with --public-api, or it listens on all addresses without --dev-token',
  ],
};
