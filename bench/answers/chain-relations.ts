export type Kind = 'film' | 'album' | 'paper' | 'company' | 'person' | 'school' | 'town' | 'county' | 'country'

/** Where each relation begins; where it leads to, `null` for a year; how passages say it, and how questions do. */
export const relations = {
  director: {
    from: 'film',
    to: 'person',
    said: ['{x} is a drama film directed by {y}.', '{y} directed {x}, and wrote it with two friends.'],
    meant: ['the director of {x}', 'the person who directed {x}'],
    asked: ['Who directed {x}?'],
  },
  studio: {
    from: 'film',
    to: 'company',
    said: ['It was produced by {y}.', 'The production company was {y}.'],
    meant: ['the company that produced {x}', 'the producer of {x}'],
    asked: ['Which company produced {x}?'],
  },
  performer: {
    from: 'album',
    to: 'person',
    said: ['{x} is the third album by the singer {y}.', '{x} is an album that {y} recorded in one week.'],
    meant: ['the performer of {x}', 'the singer who recorded {x}'],
    asked: ['Who is the performer of {x}?'],
  },
  label: {
    from: 'album',
    to: 'company',
    said: ['It was released by {y}.', '{y} published it in the autumn.'],
    meant: ['the record label of {x}', 'the label that released {x}'],
    asked: ['What is the record label of {x}?'],
  },
  owner: {
    from: 'paper',
    to: 'school',
    said: ['{x} is a student newspaper that belongs to {y}.', '{x} is the weekly paper of {y}.'],
    meant: ['the university that owns {x}', 'the school that publishes {x}'],
    asked: ['Which university owns {x}?'],
  },
  founder: {
    from: 'company',
    to: 'person',
    said: ['{x} was founded by {y}.', '{x} is a company that {y} set up with a loan.'],
    meant: ['the founder of {x}', 'the person who founded {x}'],
    asked: ['Who founded {x}?', 'Who is the founder of {x}?'],
  },
  seat: {
    from: 'company',
    to: 'town',
    said: ['It has its headquarters in {y}.', 'The company is based in {y}.'],
    meant: ['the town where {x} is based', 'the city with the headquarters of {x}'],
    asked: ['Where is {x} based?', 'Where are the headquarters of {x}?'],
  },
  birthplace: {
    from: 'person',
    to: 'town',
    said: ['{x} was born in {y}.', 'A native of {y}, {x} left home at sixteen.'],
    meant: ['the birthplace of {x}', 'the town where {x} was born'],
    asked: ['Where was {x} born?', 'In which town was {x} born?'],
  },
  spouse: {
    from: 'person',
    to: 'person',
    said: ['In the spring of that year {x} married {y}.', 'The couple, {x} and {y}, were wed in a small church.'],
    meant: ['the spouse of {x}', 'the person who married {x}'],
    asked: ['Who is the spouse of {x}?', 'Who married {x}?'],
  },
  education: {
    from: 'person',
    to: 'school',
    said: ['{x} studied law at {y}.', 'After school came four years at {y}.'],
    meant: ['the university attended by {x}', 'the school where {x} studied'],
    asked: ['Where was {x} educated?', 'Which university did {x} attend?'],
  },
  campus: {
    from: 'school',
    to: 'town',
    said: ['{x} is a university in {y}.', '{x}, a public university, is located in {y}.'],
    meant: ['the town where {x} is located', 'the city of {x}'],
    asked: ['In which city is {x}?', 'Where is {x} located?'],
  },
  opened: {
    from: 'school',
    to: null,
    said: ['It was founded in {y}.', 'The first students came in {y}.'],
    meant: [],
    asked: ['When was {x} founded?', 'In what year was {x} established?'],
  },
  county: {
    from: 'town',
    to: 'county',
    said: ['{x} is a town in {y}.', '{x} is the second largest settlement of {y}.'],
    meant: ['the county where {x} is located', 'the county that contains {x}'],
    asked: ['In which county is {x}?', 'What county is {x} located in?'],
  },
  country: {
    from: 'county',
    to: 'country',
    said: ['{x} is a county in the north of {y}.', '{x} is one of nine counties of {y}.'],
    meant: ['the country of {x}', 'the country where {x} is located'],
    asked: ['In which country is {x}?', 'What country does {x} belong to?'],
  },
  created: {
    from: 'county',
    to: null,
    said: ['The county was created in {y}.', 'It was established by an act of {y}.'],
    meant: [],
    asked: ['When was {x} created?', 'What year was {x} formed?'],
  },
  capital: {
    from: 'country',
    to: 'town',
    said: ['{y} is the capital and the largest city.', 'The capital of {x} is {y}.'],
    meant: ['the capital of {x}'],
    asked: ['What is the capital of {x}?'],
  },
} as const satisfies Record<
  string,
  {
    from: Kind
    to: Kind | null
    said: readonly string[]
    meant: readonly string[]
    asked: readonly string[]
  }
>

export type Relation = keyof typeof relations
