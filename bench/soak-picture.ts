import { round, type Series } from './soak-trend.ts';

const width = 720;
const height = 60;
const labelWidth = 240;

/** An SVG with a small chart of each series below the other, from zero to its highest value. The warm-up is shaded. */
export function drawSeries(all: readonly Series[], warmUp: number, title: string): string {
  const end = Math.max(...all.flatMap(({ points }) => points.map(({ seconds }) => seconds)));
  const x = (seconds: number) => round1(labelWidth + (seconds / end) * (width - labelWidth - 10));
  const charts = all.map(({ name, unit, points }, row) => {
    const top = 30 + row * (height + 14);
    const highest = Math.max(...points.map(({ value }) => value));
    const y = (value: number) => round1(top + height - (highest === 0 ? 0 : (value / highest) * height));
    const line = points.map(({ seconds, value }) => `${x(seconds)},${y(value)}`).join(' ');
    return [
      `<rect x="${labelWidth}" y="${top}" width="${round1(x(warmUp) - labelWidth)}" height="${height}" fill="#8882"/>`,
      `<path d="M${labelWidth} ${top + height}H${width - 10}" stroke="#888"/>`,
      `<polyline points="${line}" fill="none" stroke="#e84142" stroke-width="1.5"/>`,
      `<text x="4" y="${top + 24}">${name}</text>`,
      `<text x="4" y="${top + 42}" fill="#888">up to ${round(highest)} ${unit}</text>`,
    ].join('');
  });
  const total = 30 + all.length * (height + 14);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" font-family="sans-serif" font-size="13"><title>${title}</title><rect width="${width}" height="${total}" fill="#fff"/><text x="4" y="18" font-weight="bold">${title}</text>${charts.join('\n')}</svg>\n`;
}

const round1 = (value: number): number => Math.round(value * 10) / 10;
