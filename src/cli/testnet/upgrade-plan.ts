import { FlagError } from '../../app/config/flag-source.ts';
import { parseDuration } from '../../app/config/flag-value.ts';
import { getNetwork, localId } from '../../avm/network.ts';
import { idText } from '../../base/bytes/id.ts';
import { parseRfc3339, rfc3339 } from '../../base/bytes/rfc3339.ts';

/** Network upgrades that a testnet can schedule, in their order. All before them are active from the start. */
const upgradeNames = ['durango', 'etna', 'fortuna', 'granite', 'helicon'] as const;
type UpgradeName = (typeof upgradeNames)[number];

/** The last upgrade that changed what nodes of the X-Chain do; `--upgrade-at TIME` means it. */
const newestUpgrade = 'granite' satisfies UpgradeName;

const unscheduled = '9999-12-01T00:00:00Z';

/**
 * The upgrades of a custom network as AvalancheGo's `--upgrade-file` has them. Each text is `TIME` or `NAME=TIME`, with a time in RFC 3339 or from
 * now on. Upgrades before the first are active from the start, those after the last are not scheduled.
 */
export function planUpgrades(texts: readonly string[], unixMs: number): object {
  const given = new Map(texts.map((text) => parseUpgrade(text, unixMs)));
  const base = getNetwork(localId).upgrades;
  const planned: { [K in `${UpgradeName}Time`]?: string } = {};
  const end = upgradeNames.findLastIndex((name) => given.has(name));
  let at = Number(parseRfc3339(base.cortinaTime)) * 1000;
  for (const [i, name] of upgradeNames.entries()) {
    const time = given.get(name) ?? at;
    if (time < at) throw refuse(`${name} must not be before an upgrade that precedes it; their order is ${upgradeNames.join(', ')}`);
    at = time;
    planned[`${name}Time`] = i > end ? unscheduled : formatSeconds(at);
  }
  return { ...base, ...planned, cortinaXChainStopVertexID: idText(base.cortinaXChainStopVertexID) };
}

/** AvalancheGo and Serac read whole seconds. */
const formatSeconds = (unixMs: number): string => rfc3339(BigInt(Math.floor(unixMs / 1000)) * 1_000_000_000n);

function parseUpgrade(text: string, unixMs: number): readonly [UpgradeName, number] {
  const [, name = newestUpgrade, time = ''] = /^(?:([a-z]+)=)?(.*)$/.exec(text) ?? [];
  const known = upgradeNames.find((one) => one === name);
  if (known === undefined) throw refuse(`${JSON.stringify(name)} is not one of ${upgradeNames.join(', ')}`);
  const delay = parseDuration(time);
  const seconds = parseRfc3339(time);
  if (delay !== undefined) return [known, unixMs + delay];
  if (seconds !== undefined) return [known, Number(seconds) * 1000];
  throw refuse(`${JSON.stringify(time)} is neither a time from now on, such as 30s, nor one such as 2027-01-31T12:00:00Z`);
}

const refuse = (reason: string): FlagError => new FlagError(`--upgrade-at: ${reason}`, { code: 'FLAG_BAD_VALUE', flag: 'upgrade-at' });
