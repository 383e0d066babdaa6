import { useState } from 'preact/hooks';
import { licenseOf } from '../../../lib/pages/site/typed-fields.ts';
import { Field } from './form.tsx';

/** Common licenses for open data, by SPDX identifier. */
const licenses: readonly (readonly [value: string, words: string])[] = [
  ['', 'None yet'],
  ['CC0-1.0', 'CC0 1.0: no conditions'],
  ['CC-BY-4.0', 'CC BY 4.0: with attribution'],
  ['CC-BY-SA-4.0', 'CC BY-SA 4.0: with attribution, under the same license'],
  ['ODbL-1.0', 'ODbL 1.0: as CC BY-SA, for databases'],
];
const another = 'another';
const options = [...licenses, [another, 'Another license …'] as const];

interface LicenseFieldProps {
  /** The chosen or typed license. An empty string means no license. */
  value: string;
  onChange: (value: string) => void;
}

/** Offers common licenses, and a text field for other licenses. */
export function LicenseField({ value, onChange }: LicenseFieldProps) {
  const isUnusual = !licenses.some(([each]) => each === value);
  const [isChosen, setChosen] = useState(isUnusual);
  const isAnother = isChosen || isUnusual;
  const choose = (chosen: string) => {
    setChosen(chosen === another);
    onChange(chosen === another ? '' : chosen);
  };
  return (
    <>
      <Field
        label="License"
        name={isAnother ? 'license' : 'meta.license'}
        value={isAnother ? another : value}
        onChange={choose}
        options={options}
        hint="It says what others may do with the data. Many people do not use data without a license. You can choose it later."
      />
      {isAnother && (
        <Field
          label="Which license"
          name="meta.license"
          value={value}
          onChange={onChange}
          taken={licenseOf(value)}
          isVerbatim
          hint="Its short name in the SPDX list, such as PDDL-1.0 or MIT."
        />
      )}
    </>
  );
}
