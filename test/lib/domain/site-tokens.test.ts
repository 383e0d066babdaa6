import { expect, test } from 'vitest';
import { contrastOf, readableOn } from '../../../lib/domain/site-tokens.ts';
import { stylesheetOf } from '../../../lib/pages/site/design.ts';

test.each(['#000000', '#ffffff', '#ffff00', '#0b6b82', '#ff0000', '#00ff00', '#0000ff', '#777777'])(
  'links with the accent %s have enough contrast on light and dark backgrounds',
  (accent) => {
    for (const paper of ['#ffffff', '#0e161b']) {
      expect(contrastOf(readableOn(paper, accent), paper)).toBeGreaterThanOrEqual(4.5);
      expect(stylesheetOf({ accent })).toContain(`--link:${readableOn(paper, accent)};`);
    }
  },
);

test('an accent with enough contrast stays unchanged', () => {
  expect(readableOn('#ffffff', '#0b6b82')).toBe('#0b6b82');
});

test('the contrast has the value of WCAG', () => {
  expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
