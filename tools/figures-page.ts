import { questions } from '../bench/questions.ts';
import { formatAmount, formatRatio, timesBetter } from '../bench/report.ts';
import { type Result, readResults, unknownCommit } from '../bench/results.ts';

/** The figures of bench/results.json, as tables of docs/operate/performance.md and of the README. */

type Results = Readonly<Record<string, Result>>;

/** One row per question. */
export function renderPerformanceTable(results: Results = readResults()): string {
  const rows = questions.map(({ question, unit, mode }) => {
    const result = resultOf(results, question);
    const { serac, avalancheGo, ratio } = formatFigures(result, unit);
    const command = `npm run bench${mode === 'table' ? '' : ` -- --${mode}`}`;
    return `| ${question} | ${serac} | ${avalancheGo} | ${ratio} | ${formatCircumstances(result)} | \`${command}\` |`;
  });
  return ['| question | Serac | AvalancheGo | ratio | measured | command |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** The questions of the README, without commands. */
export function renderReadmeFigures(results: Results = readResults()): string {
  const rows = questions
    .filter(({ isInReadme }) => isInReadme)
    .map(({ question, unit }) => {
      const result = resultOf(results, question);
      const { serac, avalancheGo, ratio } = formatFigures(result, unit);
      return `| ${question} | ${serac} | ${avalancheGo} | ${ratio} | ${result.date} |`;
    });
  return ['| question | Serac | AvalancheGo | ratio | measured |', '|---|---|---|---|---|', ...rows].join('\n');
}

function resultOf(results: Results, question: string): Result {
  const result = results[question];
  if (result === undefined) throw new Error(`bench/results.json has no answer to "${question}"; npm run bench writes it`);
  return result;
}

function formatFigures({ serac, avalancheGo }: Result, unit: (typeof questions)[number]['unit']) {
  return {
    serac: formatAmount(serac, unit),
    avalancheGo: avalancheGo === undefined ? '' : formatAmount(avalancheGo, unit),
    ratio: avalancheGo === undefined ? '' : formatRatio(timesBetter(unit, serac, avalancheGo)),
  };
}

const formatCircumstances = ({ date, machine, load, commit }: Result): string =>
  [date, machine, load, ...(commit === unknownCommit ? [] : [`\`${commit}\``])].join(', ');
