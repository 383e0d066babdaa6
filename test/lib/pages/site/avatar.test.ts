import { describe, expect, it, test } from 'vitest';
import { contrastOf } from '../../../../lib/domain/site-tokens.ts';
import { avatarColors, initialsOf } from '../../../../lib/pages/site/avatar.tsx';

test.each(avatarColors)('white initials are readable on the avatar color %s', (color) => {
  expect(contrastOf(color, '#ffffff')).toBeGreaterThanOrEqual(5);
});

describe('the initials of an avatar', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['ada', 'A'],
    ['Institute for Tide Research', 'IR'],
    ['  open-data  ', 'OD'],
    ['Ærø Kommune', 'ÆK'],
    ['海洋 研究所', '海研'],
    ['𝒜da', '𝒜'],
    ['3rd Street', '3S'],
    ['ßeta', 'SS'],
    [undefined, 'TI'],
    ['', 'TI'],
    ['…', 'TI'],
    ['\u202egnp.exe', 'GE'],
    ['<b>x</b>', 'BB'],
    [`a${'\u0301'.repeat(500)}`, 'A'],
  ])('of %j are %j', (name, initials) => {
    expect(initialsOf({ account_id: 'tide-institute', name })).toBe(initials);
  });
});
