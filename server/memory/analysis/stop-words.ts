/**
 * Words that say nothing about which learning fits. Kept short on purpose: "not", "before" and the like
 * are in, names of tools and actions are not.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are arent as at be because been before being below
between both but by came can cannot cant come could couldnt did didnt do does doesnt doing dont down during
each either else ever every for from further get gets getting go goes going got had has hasnt have havent
having he her here hers him his how however i id ie if ill im in into is isnt it its itself ive just let lets
like make makes me might more most much must my myself need needs no nor not now of off oh ok on once one only
or other our ours out over own per please put same see she should shouldnt since so some someone something
still such take than that thats the their them then there theres these they theyre thing things this those
though through to too try trying under until up upon us use used uses using very via want wants was wasnt way
we well were weve what whats when where whether which while who whom whose why will with within without wont
would wouldnt yes yet you your youre yours`.split(/\s+/),
);

/**
 * Words that stand in so many notes about software that sharing one is weak evidence, whatever the size
 * of the store: they count as if they were already in a twentieth of a background collection.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `add agent app application branch bug build call change check class client code command commit config
create data default delete deploy dev directory doc document endpoint error fail failure feature file find fix
flag folder format function handle implement import input install issue key library line list load local log
machine main message method model module move name new number object old open option output package page pass
path problem process production project read release remove rename repo repository request response result
return review run script send server service set setting setup start step stop string support system table
task test time tool type update upgrade user value version wait web work write wrong`.split(/\s+/),
);
