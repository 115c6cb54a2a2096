import { type Failure, failures, type Outcome } from '../test/failure-table.ts';

/** The generated part of docs/guides/cluster.md: what `serac api` answers while something is away, from the table that test/failures.test.ts tries. */
export const renderFailures = (): string =>
  [
    '| away | lists, balances, metrics | blocks, further pages, transactions whose outputs are all spent | longest wait | `/v1/health-check` | `/ready` |',
    '|---|---|---|---|---|---|',
    ...failures.map(
      (row) =>
        `| ${row.away} | ${formatOutcome(row.newest)} | ${formatOutcome(row.settled)} | ${row.longest} s | ${formatHealth(row)} | ${row.ready} |`,
    ),
  ].join('\n');

const formatOutcome = (outcome: Outcome): string => (outcome === 'answered' ? '200' : '503');

const formatHealth = ({ health: { status, component } }: Failure): string =>
  component === undefined ? `${status}` : status === 200 ? `200, \`${component}\` names the host` : `503: \`${component}\``;
