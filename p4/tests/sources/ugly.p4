


/* A source as nobody should write it:
     everything is in it.
*/
#include <core.p4>
   #define WIDE(n) \
       bit<(n)>   
#ifdef  NEVER
const   bit<8>A=1;
#elif defined(OTHER) // says so
const bit<8>A=2;
#else
const bit < 8 > A = 3 ;
#endif
WIDE_DECLARATIONS(one,two)
OTHER_DECLARATIONS
@pragma  keep   this   "as it is"
typedef bit<32>address_t;type bit<16> port_t;
typedef   struct pair_t{bit<8>a;bit<8>b;}pair2_t;
const bool C=A<3&&A>1||!(A!=2)&&A<=4; const bit<8> D=(bit<8>)(A+1)<<2>>1; const int E=- 3+ +4- -5*~6;


const int<8> F=(int<8>)-1; const bit<W+1> G = (A==1?2:3)|+|4|-|5++6; const bit<(A>B?1:2)>H=x[7:0]^x[3+:4]&1|2;
error{NoRoute,TooShort,}
match_kind{exact,range , // of numbers
  optional}
enum Color{RED,GREEN /* like grass */ ,

BLUE}
enum bit<16> Kind { IPV4=0x0800,IPV6=0x86DD };
header empty_t{}
header ethernet_t{@name("to") bit<48>dst;bit<48> src;   // where it
     // comes from
bit<16>kind;}
header_union either_t{ethernet_t a;empty_t b;}
struct nested_t<T,U>{T first;tuple<T,bit<8>>second;list<tuple<U,nested_t<T,list<U>>>>third;ethernet_t[4] stack;}
struct columns_t { bit<8>  first; // in a column
bool second;    // as well
// this stands between them
@optional bit<128> third;

bit<8> fourth; // and this
int<16> fifth; // does not
}
typedef bit<8>   short_t;
typedef bit<128> long_t;
extern void count_all<T>(in T what,@optional inout bit<8>at=3);
extern Sink<T>{Sink(bit<32>size);abstract T fold(in T old,out T new);void put<D>(in D value);}
parser Parse<H>(packet_in packet,out H headers);control Pipe<H>(inout H headers);
package Nic<H>(Parse<H>parse,Pipe<H>pipe,optional_t<bit<8>>more);
extern bool a_function_with_many_parameters(in bit<32> the_first_parameter,in bit<32> the_second_parameter,out bit<32> the_third);
bit<8>larger(in bit<8>a,in bit<8>b){if(a>b)return a;else return b;}
parser parse(packet_in packet,out headers_t headers,inout metadata_t metadata,in intrinsic_t intrinsic)(bit<4>rounds){
value_set<tuple<bit<16>,bit<8>>>(4)tags;bit<8>left=8w2;
state start{transition accept;}
@name("inner")state vlan{packet.extract<vlan_t>(headers.vlans.next);left=left-1;
transition select(headers.vlans.last.kind,left){(0x81,_):vlan;(0x00..0x7f,8w1&&&8w1):more;
// none of them
(default,default):reject;tags:accept;}}}
control pipe(inout headers_t headers,
#ifdef WITH_PORT
   in port_t port,
#endif
   inout metadata_t metadata){
Sink<bit<8>>(32w16)sink={bit<8>fold(in bit<8>old,out bit<8>new){new=old|+|1;return new;}};
@hidden
@name("drop") action drop(){exit;}
action forward(port_t to,bit<48>mac){headers.ethernet.dst=mac;metadata.port=to;}
table routes{key={headers.ip.to:lpm@name("to");headers.ethernet.isValid() : exact;headers.ip.from&0xffff:ternary @name("from") @id(3) @description("what stands in front");}
actions={forward;@defaultonly drop();.NoAction;}
const default_action=drop();size=1024;
entries={const priority=10:(32w1&&&32w3,true,_):forward(to=1,mac=2);(_,false,default):drop()@late;}
}
apply @noWarn("unused"){
// First of all.
if(!headers.ethernet.isValid())return;
else if(headers.ethernet.kind==Kind.IPV4||headers.ethernet.kind==Kind.IPV6&&metadata.port!=(port_t)3||metadata.is_known){drop();}else{} /* behind it */
if (a) if (b) { c=1; } else d = 2; // of the inner one
else
e = 3;
switch(routes.apply().action_run){forward:{sink.put<bit<8>>(larger(1,(bit<8>)port[7:0]));}
drop:default:{return;}}
for(bit<8>i=0,bit<8>j=1;i<8;i+=1,j=j<<1){if(i==j)continue;break;}
@unroll for(bit<8>k in 8w1..8w9)count_all<bit<8>>(k);
for(k in list){;}
headers_t other={ethernet={1,2,...},either={#},...};nested_t<bit<8>,bit<8>>n=(nested_t<bit<8>,bit<8>>){1,{2,3},{4},{}};
port>>=1;x=x>>2;x = a<b?c:d; x = (T) -y; x=(y)-z; f(a < b, c > d); g(a<b,c> d);
metadata.sum=headers.ip.version++headers.ip.length++headers.ip.service++headers.ip.total_length++headers.ip.checksum;
update_checksum(headers.ip.isValid(),{headers.ip.version,headers.ip.length,headers.ip.service,headers.ip.total_length},headers.ip.checksum,HashAlgorithm.csum16);
call(a,// the first one
b /* and */,/* then */c);
metadata.a_name_that_is_so_long_that_nobody_can_read_it=headers.another_name_that_is_quite_long.and_its_field;
          /* This comment
               stands in the middle */
{const bit<4>q=3;
  /** Starred,
  * and moved.
       */
x=q;}
@annotated(free { form; here) {}
/* last */
}
}
control nothing ( ) ( bit<8> x ) {
  apply {
    // nothing
  }
}
Nic(parse(4w3),pipe())main ;


