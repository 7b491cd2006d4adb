/** Words that Australian businesses call themselves by; compounds of made-up names are built from them. */
export const WORDS = `
air allied alpine anchor apple arc art asset atlas auto baby bakery balance bar bay beach beauty bees best better big bike
bin bird blinds blue board boat body book boss box brew brick bridge bright broker bros build builders bus bush business butcher
buy cabinet cafe cake camp candle capital car care cargo carpet case cat catering cell central chef child choice church circle city
clean cleaner cleaning clear clinic clothing cloud club coach coast coffee collective college comfort community computer concept
concrete connect consulting cool coral corner cottage country courier craft creative creek crew crown crystal culture custom cycle
daily dance data day deals deck decor deluxe dental design designs digital direct discount dog door dream drive drone dry earth east
easy eco edge education electric electrical elite energy engineering equine escape estate events evolve excel expert express eye
fabric farm fashion fence fencing film finance fire first fish fit fitness fleet floor flooring flora flow flowers fly food
foot force forest fox fresh friends fruit fuel fun furniture future galah garage garden gardens gate gear gift glass global go gold
golden golf good grand green grill group grow guide gum guru gym hair hand handmade handyman happy harbour hardware harvest haven health
heart heritage high hills hire hobby holiday home homes honey horizon horse hosting hotel house hub hunter ice icon idea imports
indigo inspire insure interior invest island jack jet jewellery joinery juice jump just kangaroo kebab key kids king kitchen kitchens
kiwi koala lab labs lake land landscape landscapes laser laundry law lawn lead leaf learning leather legal life lift light lighting
limo link lion little living loan local lock logic logistics look love lucky luxe luxury magic magpie mail make mango marine market
marketing master mate max meat mechanic media medical metal micro mind mini mint mobile mobility modern money moon mortgage motor
motors mountain move movers music my nails natural nature nest net network new next night north nova nursery oak ocean office oil old
olive one online opal open optic orange orchard organic outback outdoor outlet oz pacific pack paint painting palm paper park party
path paws pay peak pearl people perfect performance pest pet pets pharmacy phone photo photography physio pilates pine pink pixel
pizza plan planet plant plants plaster platinum play plumber plumbing plus pod point pool pools port post power precision premier
premium press prestige pride prime print pro project projects prop property pulse pump pure quality quick quiet quilt race rack rain
ranch range raw ready real realty red reef removal rent rental repair repairs rescue reserve resort restore retail ride ridge right
rise river road robot rock roo roof roofing room root rose rover royal run rural safari safe safety sale salon salt salty sand
save school science scout sea search secure security seed sense service services shade shed sheep shine ship shirt shop sign
signs silk silver simple site skate ski skill skin sky sleep small smart smile smoke snow social soft software solar solid
solutions soul sound source south spa space spark speed spice spirit spirits splash sport sports spot spring staff stage star
start station stay steel stone storage store story stream street strong studio studios style sugar summer sun sunny super supply
support surf survey sushi swim swift system systems table tail tan tank tasty tax taxi tea team tech technology test thai
think tiger tile tiles tiling timber time tint tiny tip tools top total touch tour tours tow town toy track trade trades trading
trail trailer train training transport travel tree trees trend tropic truck trust turf tutor tyre tyres ultra union unique
unit united urban valley value van vault vegan venture vet view village vine vintage vision vista vital voice wagon walk
wall warehouse wash waste watch water wave way wealth web wedding weddings weld welding well wellness west wheels white
whole wild wind window windows wine wings winter wise wish wolf wombat women wonder wood wool word work works workshop world
yacht yard yes yoga young youth zen zone zoo`
  .trim()
  .split(/\s+/);

/** Places that businesses name themselves after. */
export const PLACES = `
adelaide albany albury armidale aussie australia australian ballarat ballina barossa bathurst bendigo bondi bowral brighton
brisbane broome bunbury bundaberg byron cairns canberra ceduna cessnock coogee cronulla darwin devonport dubbo echuca
eden esperance forbes fremantle geelong gippsland gladstone goldcoast goulburn hobart illawarra kalgoorlie katherine kiama
launceston lismore lorne mackay maitland mandurah manly melbourne melb mildura moree mudgee newcastle noosa nowra oz
parramatta perth pilbara qld queensland redfern richmond rockhampton sale stkilda sunshinecoast swan sydney syd tamworth
tasmania tassie toowoomba torquay townsville vic victoria wagga wangaratta warrnambool whyalla wollongong yarra yass`
  .trim()
  .split(/\s+/);
