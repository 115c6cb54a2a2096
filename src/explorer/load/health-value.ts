import { bytesText, groupDigits, plural } from '../text/text-format.ts';

/** Details of a health check: JSON of the node. */
type Details = { readonly [name: string]: unknown };

const count = (value: unknown): number => (Array.isArray(value) ? value.length : Number(value ?? 0));

/** The value of a check in a few words, by its name. Chains have the alias of the chain as name. */
const values: { readonly [name: string]: (details: Details) => string } = {
  bootstrapped: (details) => (count(details) === 0 ? 'all chains' : `${plural(count(details), 'subnet')} not yet`),
  diskspace: ({ availableDiskBytes, availableDiskPercentage }) =>
    `${bytesText(Number(availableDiskBytes ?? 0))} free, ${Number(availableDiskPercentage ?? 0)} %`,
  futureupgrade: ({ localUpgradeTime }) => `upgrade of ${String(localUpgradeTime).slice(0, 10)}`,
  network: ({ connectedPeers }) => plural(count(connectedPeers), 'peer'),
  router: ({ outstandingRequests }) => `${plural(count(outstandingRequests), 'request')} open`,
  connections: ({ max, closed }) =>
    `room for ${groupDigits(count(max))}${count(closed) === 0 ? '' : `, ${groupDigits(count(closed))} closed`}`,
  readers: ({ serving }) => `${plural(count(serving), 'reader')} serving`,
  follow: ({ height, target, behindSeconds }) =>
    `block ${groupDigits(count(height))}${target === undefined ? '' : ` of ${groupDigits(count(target))}`}, ${plural(count(behindSeconds), 'second')} behind`,
};

/** What a check found, in a few words; empty if it says nothing. */
export function healthValue(name: string, message: unknown): string {
  if (message === undefined || message === null) return '';
  const value = Object.hasOwn(values, name) && typeof message === 'object' ? values[name]?.(message as Details) : undefined;
  if (value !== undefined) return value;
  // What a chain tells is older than the height in the title of the page, and would only contradict it.
  if ((message as { engine?: unknown }).engine !== undefined) return '';
  const text = typeof message === 'string' ? message : wordsOf(message);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** `{"longestWait": 0}` as `longest wait 0`: a value in words, whatever its fields. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${wordsOf(one)}`)
    .join(', ');
}
