import type { Setting } from '../load/load-node.ts';
import { plural } from '../text/text-format.ts';
import { Panel, SaveMenu, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';

/** The flags of the node: those that were set, then the defaults, which are folded. */
export function SettingsPanel({ settings }: { settings: readonly Setting[] }) {
  const set = settings.filter(({ source }) => source !== 'default');
  const defaults = settings.filter(({ source }) => source === 'default');
  return (
    <Panel title="Settings and where they come from" weight="rest" side={<SaveMenu csv="settings" />}>
      {set.length === 0 ? (
        <p class="table-foot">No flag, environment variable or config file sets anything.</p>
      ) : (
        <SettingsTable settings={set} name="settings" />
      )}
      <details class="values">
        <summary>{plural(defaults.length, 'default')}</summary>
        <SettingsTable settings={defaults} name={set.length === 0 ? 'settings' : 'defaults'} />
      </details>
    </Panel>
  );
}

const SettingsTable = ({ settings, name }: { settings: readonly Setting[]; name: string }) => (
  <Scroll>
    <table data-csv={name}>
      <TableHead columns={['Flag', 'Value', 'Source']} />
      <tbody>
        {settings.map(({ flag, value, source }) => (
          <tr>
            <td class="mono">--{flag}</td>
            <td class="mono breakable">{valueText(value)}</td>
            <td class="quiet">{source === `--${flag}` ? 'flag' : source}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const valueText = (value: unknown): string =>
  value === null || value === ''
    ? '–'
    : typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.join(',') || '–'
        : JSON.stringify(value);
