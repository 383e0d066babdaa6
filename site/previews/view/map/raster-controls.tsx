import { useState } from 'preact/hooks';
import { type MapRaster, type RasterChoice, type Stretch, stretches } from '../../preview.ts';

/** Lets the reader choose the bands of an image, and how its numbers become colors. */
export function RasterControls({ raster, choose }: { raster: MapRaster; choose: (choice: RasterChoice) => void }) {
  const { bandNames, legend } = raster;
  const [choice, setChoice] = useState(raster.choice);
  const change = (changed: Partial<RasterChoice>) => {
    const next = { ...choice, ...changed };
    setChoice(next);
    choose(next);
  };
  const { bands, stretch } = choice;
  const isColour = bands.length === 3;
  const labels = isColour ? ['Red', 'Green', 'Blue'] : ['Band'];
  return (
    <>
      {bandNames.length >= 3 && (
        <label>
          Show{' '}
          <select
            value={bands.length}
            onChange={({ currentTarget: { value } }) => change({ bands: value === '3' ? [0, 1, 2] : [bands[0] ?? 0] })}
          >
            <option value={1}>One band</option>
            <option value={3}>Three bands as colors</option>
          </select>
        </label>
      )}
      {bandNames.length > 1 &&
        labels.map((label, at) => (
          <label key={label}>
            {label}{' '}
            <select
              value={bands[at]}
              onChange={({ currentTarget: { value } }) => change({ bands: bands.with(at, Number(value)) })}
            >
              {bandNames.map((name, band) => (
                <option key={name} value={band}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ))}
      <label>
        Colors{' '}
        <select value={stretch} onChange={({ currentTarget: { value } }) => change({ stretch: value as Stretch })}>
          {Object.entries(stretches).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {legend !== undefined && (
        <p class="ramp">
          <span>{legend.lowest}</span>
          <span class="colours" aria-hidden="true" />
          <span>{legend.highest}</span>
        </p>
      )}
    </>
  );
}
