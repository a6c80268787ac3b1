//! Words that cannot be names in VHDL.

/// Reserved words (IEEE 1076-2008, 15.10), those of PSL and of VHDL-2019 included.
pub const VHDL: &str = "\
    abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body \
    buffer bus case component configuration constant context cover default disconnect downto else elsif end entity \
    exit fairness file for force function generate generic group guarded if impure in inertial inout is label library \
    linkage literal loop map mod nand new next nor not null of on open or others out package parameter port postponed \
    private procedure process property protected pure range record register reject release rem report restrict \
    restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl strong subtype then to \
    transport type unaffected units until use variable vhdl view vmode vpkg vprop vunit wait when while with xnor xor";

/// What the printed text uses of the standard packages and of its own one: a signal of that name would hide it. Also
/// what an engineer would not want to see hidden.
pub const USED: &str = "\
    altera_attribute async_reg bit bit_vector boolean character dont_merge dont_touch error failure false ieee index integer natural note now number \
    numeric_std positive ram_style ramstyle real repeat resize rising_edge severity_level shift_left shift_right signed std \
    std_logic std_logic_1164 std_logic_vector std_ulogic string time to_integer to_logic to_signed to_unsigned true \
    unsigned warning work zeros";
